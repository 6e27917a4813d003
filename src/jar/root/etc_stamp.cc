#include "jar/root/etc_stamp.h"

#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::jar {

namespace {

constexpr int kMaxDepth = 24;
constexpr std::size_t kMaxListing = 8U << 20;

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

Directory open_directory(int parent, const char* name) {
  int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* stream = fd < 0 ? nullptr : ::fdopendir(fd);
  if (stream == nullptr && fd >= 0) ::close(fd);
  return {stream, &::closedir};
}

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/// `path`: of this directory in the list, empty for the first.
void list_below(int parent, const char* name, const std::string& path, int depth,
                std::vector<std::string>& listed) {
  auto directory = open_directory(parent, name);
  if (!directory || depth > kMaxDepth) return;
  int here = ::dirfd(directory.get());
  while (auto* entry = ::readdir(directory.get())) {
    if (is_dots(entry->d_name) || entry->d_type == DT_LNK) continue;
    auto below = path.empty() ? std::string(entry->d_name) : path + "/" + entry->d_name;
    listed.push_back(below);
    struct stat status {};
    bool is_directory =
        entry->d_type == DT_DIR ||
        (entry->d_type == DT_UNKNOWN && ::fstatat(here, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode));
    if (is_directory) list_below(here, entry->d_name, below, depth + 1, listed);
  }
}

class Stamp {
 public:
  void add(std::string_view text) {
    for (char c : text)
      value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  void add(std::uint64_t number) { value_ = (value_ ^ number) * 0x9e3779b97f4a7c15ULL + (value_ >> 29); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::vector<std::string> list_tree(const std::string& directory) {
  std::vector<std::string> listed = {"."};
  list_below(AT_FDCWD, directory.c_str(), "", 0, listed);
  return listed;
}

std::uint64_t stamp_listed(const std::string& directory, const std::vector<std::string>& listed) {
  Stamp stamp;
  os::Fd base(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const auto& path : listed) {
    struct stat status {};
    bool there = ::fstatat(base.get(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    stamp.add(path);
    stamp.add(there ? status.st_ino : 0);
    stamp.add(static_cast<std::uint64_t>(status.st_ctim.tv_sec) << 32 ^
              static_cast<std::uint64_t>(status.st_ctim.tv_nsec));
  }
  return stamp.value();
}

std::vector<std::string> read_listing(const std::string& file) {
  std::vector<std::string> listed;
  auto text = os::read_file(file, kMaxListing).value_or("");
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find('\0', at);
    if (end == std::string::npos) return {};  // cut
    listed.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return listed;
}

Result<void> write_listing(const std::string& file, const std::vector<std::string>& listed) {
  std::string text;
  for (const auto& path : listed)
    (text += path) += '\0';
  return os::replace_file(file, text);
}

}  // namespace belljar::jar
