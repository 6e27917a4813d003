#include "bin/init/program_text.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace belljar::init {

namespace {
constexpr std::uint32_t kMaxTexts = 1U << 16;
constexpr char kDefaultPath[] = "/usr/local/bin:/usr/bin:/bin";
}  // namespace

ProgramText::~ProgramText() {
  if (memory_ != nullptr) ::munmap(memory_, size_);
}

int ProgramText::load(int file) {
  jar::ProgramTextHead head{};
  if (::pread(file, &head, sizeof head, 0) != sizeof head) return EINVAL;
  if (head.size > jar::kMaxProgramText || head.arguments == 0 || head.arguments > kMaxTexts ||
      head.environment > kMaxTexts)
    return E2BIG;
  // One mapping: the two pointer arrays, then the text.
  std::size_t pointers = (head.arguments + head.environment + 2) * sizeof(char*);
  size_ = pointers + head.size;
  void* memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  memory_ = memory;
  char* text = static_cast<char*>(memory) + pointers;
  for (std::uint32_t done = 0; done < head.size;) {
    auto count = ::pread(file, text + done, head.size - done, static_cast<off_t>(sizeof head + done));
    if (count <= 0) return EINVAL;
    done += static_cast<std::uint32_t>(count);
  }
  return split(head, text) ? 0 : EINVAL;
}

bool ProgramText::split(const jar::ProgramTextHead& head, char* text) {
  char* end = text + head.size;
  if (head.size == 0 || end[-1] != 0) return false;
  arguments = static_cast<char**>(memory_);
  environment = arguments + head.arguments + 1;
  auto next = [&]() -> char* {
    if (text >= end) return nullptr;
    char* here = text;
    text += std::strlen(text) + 1;
    return here;
  };
  for (std::uint32_t i = 0; i < head.arguments; ++i)
    if ((arguments[i] = next()) == nullptr) return false;
  for (std::uint32_t i = 0; i < head.environment; ++i)
    if ((environment[i] = next()) == nullptr) return false;
  working_directory = next();
  return working_directory != nullptr && text == end;
}

const char* ProgramText::search_path() const {
  for (char** entry = environment; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "PATH=", 5) == 0) return *entry + 5;
  return kDefaultPath;
}

}  // namespace belljar::init
