#include "jar/workspace/changed.h"

#include <algorithm>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::jar {

bool Changed::is_since(const struct stat& status) const {
  const auto& at = status.st_ctim;
  return at.tv_sec > since_.tv_sec || (at.tv_sec == since_.tv_sec && at.tv_nsec >= since_.tv_nsec);
}

std::optional<struct stat> Changed::look(int directory, const std::string& name) {
  struct stat status {};
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) < 0) return std::nullopt;
  return status;
}

bool Changed::operator()(int directory, const std::string& name) const {
  auto status = look(directory, name);
  return status && is_since(*status);
}

std::string Reading::read_some(int directory, const std::string& name) {
  auto file = os::open_beneath(directory, name, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!file || ::fstat(file->get(), &status) < 0 || !S_ISREG(status.st_mode)) return {};
  auto wanted = std::min(static_cast<std::size_t>(status.st_size), kMostOfAFile);
  if (wanted > left_) {
    exhausted_ = true;
    return {};
  }
  std::string text(wanted, 0);
  std::size_t size = 0;
  while (size < wanted) {
    auto count = ::read(file->get(), text.data() + size, wanted - size);
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  left_ -= size;
  return text;
}

bool is_longer(int directory, const std::string& name) {
  auto status = Changed::look(directory, name);
  return status && status->st_size > static_cast<off_t>(Reading::kMostOfAFile);
}

std::vector<std::string> names_in(int directory, const std::string& name) {
  std::vector<std::string> names;
  auto opened = os::open_beneath(directory, name, O_RDONLY | O_DIRECTORY);
  if (!opened) return names;
  DIR* stream = ::fdopendir(opened->get());
  if (stream == nullptr) return names;
  (void)opened->release();
  while (auto* entry = ::readdir(stream)) {
    std::string found = entry->d_name;
    if (found == "." || found == "..") continue;
    if (names.size() >= kMaxNames) break;
    names.push_back(std::move(found));
  }
  ::closedir(stream);
  return names;
}

}  // namespace belljar::jar
