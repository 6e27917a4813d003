#include "agents/program.h"

#include <algorithm>
#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/path.h"

namespace belljar::agents {

namespace {

constexpr std::string_view kSystem[] = {"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/opt/"};

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? resolved : "";
}

bool is_executable(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string search(std::string_view command, std::string_view search_path, std::string_view workspace) {
  while (!search_path.empty()) {
    auto colon = search_path.find(':');
    auto directory = search_path.substr(0, colon);
    search_path = colon == std::string_view::npos ? "" : search_path.substr(colon + 1);
    if (directory.empty() || directory.front() != '/')
      continue;  // "." and the like: not the user's installation
    if (os::is_within(real_path(std::string(directory)), workspace)) continue;
    auto candidate = std::string(directory) + "/" + std::string(command);
    auto real = real_path(candidate);
    if (is_executable(candidate) && !os::is_within(real, workspace)) return real;
  }
  return "";
}

std::string outermost_node_modules(const std::string& path) {
  constexpr std::string_view kFolder = "/node_modules/";
  auto at = path.find(kFolder);
  return at == std::string::npos ? "" : path.substr(0, at + kFolder.size() - 1);
}

void show(Program& program, const std::string& path) {
  if (path.empty() || is_system_path(path)) return;
  auto folder = outermost_node_modules(path);
  program.binds.push_back(folder.empty() ? path : folder);
}

}  // namespace

std::string interpreter_of(const std::string& path) {
  auto file = os::open_file(path, O_RDONLY);
  if (!file) return "";
  char head[256];
  auto count = ::read(file->get(), head, sizeof head);
  std::string_view line(head, count > 0 ? static_cast<std::size_t>(count) : 0);
  if (!line.starts_with("#!")) return "";
  line = line.substr(2, line.find('\n') - 2);
  auto next_word = [&line]() -> std::string_view {
    auto start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return "";
    line.remove_prefix(start);
    auto word = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(word.size());
    return word;
  };
  auto first = next_word();
  if (!first.ends_with("/env")) return std::string(first);
  auto second = next_word();
  if (second == "-S") second = next_word();
  return std::string(second);
}

std::string loader_of(const std::string& path) {
  constexpr std::size_t kHead = 4096, kLongest = 256;
  auto file = os::open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file) return "";
  alignas(Elf64_Ehdr) char head[kHead];
  auto count = ::pread(file->get(), head, sizeof head, 0);
  Elf64_Ehdr elf{};
  if (count < static_cast<ssize_t>(sizeof elf)) return "";
  std::memcpy(&elf, head, sizeof elf);
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64) return "";
  auto size = static_cast<std::size_t>(count);
  for (std::size_t n = 0; n < elf.e_phnum; ++n) {
    auto at = elf.e_phoff + n * sizeof(Elf64_Phdr);
    Elf64_Phdr part{};
    if (elf.e_phoff > size || at + sizeof part > size) return "";
    std::memcpy(&part, head + at, sizeof part);
    if (part.p_type != PT_INTERP) continue;
    std::string name(std::min<std::size_t>(part.p_filesz, kLongest), '\0');
    auto read = ::pread(file->get(), name.data(), name.size(), static_cast<off_t>(part.p_offset));
    return read <= 0 ? "" : std::string(name.c_str());
  }
  return "";
}

bool is_system_path(std::string_view path) {
  for (auto directory : kSystem)
    if (path.starts_with(directory)) return true;
  return false;
}

std::optional<Program> find_program(std::string_view command, std::string_view search_path,
                                    std::string_view workspace) {
  Program program{.path = search(command, search_path, workspace)};
  if (program.path.empty()) return std::nullopt;
  show(program, program.path);
  auto interpreter = interpreter_of(program.path);
  if (!interpreter.empty()) {
    auto real =
        interpreter.front() == '/' ? real_path(interpreter) : search(interpreter, search_path, workspace);
    if (is_executable(real) && !os::is_within(real, workspace) && !is_system_path(real)) {
      program.interpreter = real;
      show(program, real);
    }
  }
  return program;
}

}  // namespace belljar::agents
