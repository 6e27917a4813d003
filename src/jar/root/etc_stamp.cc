#include "jar/root/etc_stamp.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/workspace/walk.h"
#include "os/fd.h"

namespace belljar::jar {

namespace {

constexpr std::size_t kMaxListing = 8U << 20;

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
  // Copies go less deep than the walk does; what changes below only makes one that need not be.
  (void)walk(directory,
             [&listed](const WalkEntry& entry) {
               if (entry.type != DT_LNK) listed.push_back(entry.path);
               return true;
             },
             {.other_file_systems = true});
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
