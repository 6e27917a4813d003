#include "jar/root/unreadable.h"

#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "jar/root/witness_stamp.h"
#include "jar/workspace/walk.h"
#include "os/fd.h"

namespace belljar::jar {

namespace {

constexpr std::size_t kMaxEntries = 8'000'000;
constexpr std::size_t kMaxList = 4U << 20;
constexpr std::string_view kListPrefix = "unreadable-";
constexpr std::size_t kStampDigits = 16;
/// A list is made anew after this long whatever happened.
constexpr time_t kOldest = 24 * 3600;

constexpr const char* kWitnesses[] = {"/usr",
                                      "/usr/bin",
                                      "/usr/sbin",
                                      "/usr/lib",
                                      "/usr/share",
                                      "/usr/local",
                                      "/usr/local/bin",
                                      "/usr/local/lib",
                                      "/usr/local/share",
                                      "/usr/local/etc",
                                      "/usr/src",
                                      "/opt",
                                      "/nix",
                                      "/var/lib/dpkg/status",
                                      "/var/lib/rpm",
                                      "/var/lib/pacman/local"};

std::string stamp_of(const std::vector<ShownDirectory>& shown) {
  WitnessStamp stamp;
  stamp.add(::geteuid());
  gid_t groups[256];
  int count = ::getgroups(256, groups);
  for (int i = 0; i < count; ++i)
    stamp.add(groups[i]);
  for (const auto* path : kWitnesses)
    stamp.add_witness(path);
  for (const auto& source : shown)
    stamp.add_witness(source.path.c_str());
  return stamp.text();
}

/// The stored list, when it is whole (its last line says so) and not too old.
Result<std::vector<std::string>> read_list(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) < 0) return Error::from_errno(errno, "look at " + path);
  if (::time(nullptr) - status.st_mtime > kOldest) return Error(ErrorCode::not_found, "too old");
  auto text = TRY(os::read_file(path, kMaxList));
  std::vector<std::string> list;
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find('\0', at);
    if (end == std::string::npos) break;
    list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (list.empty() || list.back() != "end") return Error(ErrorCode::malformed, "cut");
  list.pop_back();
  return list;
}

/// Removes the lists of other states, but no list that another start is just writing.
void sweep(const std::string& cache) {
  std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(cache.c_str()), &::closedir);
  if (!directory) return;
  constexpr time_t kAbandoned = 3600;
  while (auto* entry = ::readdir(directory.get())) {
    std::string_view name = entry->d_name;
    if (name.substr(0, kListPrefix.size()) != kListPrefix) continue;
    bool finished = name.size() == kListPrefix.size() + kStampDigits;
    struct stat status {};
    if (finished || (::fstatat(::dirfd(directory.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                     ::time(nullptr) - status.st_mtime > kAbandoned))
      ::unlinkat(::dirfd(directory.get()), entry->d_name, 0);
  }
}

/// Keeps the list for the next start. Without it that one only has to look again.
Result<void> write_list(const std::string& cache, const std::string& path,
                        const std::vector<std::string>& list) {
  std::string text;
  for (const auto& one : list)
    (text += one) += '\0';
  text += std::string("end") + '\0';
  TRY(os::create_directories(cache));
  sweep(cache);
  return os::write_file_atomically(path, text);
}

}  // namespace

Result<std::vector<std::string>> look_for_unreadable(const std::string& directory, Reader reader) {
  std::vector<std::string> found;
  auto walked = walk(
      directory,
      [&](const WalkEntry& entry) {
        // A socket can be connected to through a read-only mount, too.
        if (entry.type == DT_SOCK || entry.type == DT_FIFO) found.push_back(directory + "/" + entry.path);
        if (entry.type != DT_DIR && entry.type != DT_REG) return false;
        struct stat status {};
        std::string name(entry.name);
        if (::fstatat(entry.directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) < 0) return false;
        bool is_directory = S_ISDIR(status.st_mode);
        bool open_to_others = is_directory ? (status.st_mode & 05) == 05 : (status.st_mode & 04) != 0;
        if (open_to_others) return true;
        if (reader == Reader::nobody) return is_directory && (status.st_mode & 01) != 0;
        // A directory with x alone still opens what one knows the name of.
        bool reachable = ::faccessat(entry.directory, name.c_str(), R_OK, AT_EACCESS) == 0 ||
                         (is_directory && ::faccessat(entry.directory, name.c_str(), X_OK, AT_EACCESS) == 0);
        if (reachable) found.push_back(directory + "/" + entry.path);
        return false;
      },
      // The jar is shown what is mounted below, too.
      {.entries = kMaxEntries, .depth = 128, .other_file_systems = true});
  if (!walked) return std::move(walked).error();
  if (!walked->complete())
    return Error(ErrorCode::limit_exceeded,
                 directory + " is too large to be looked through for what others can't read");
  return found;
}

Result<std::vector<std::string>> find_unreadable(const std::string& cache_directory,
                                                 const std::vector<ShownDirectory>& shown, Reader reader) {
  auto path = cache_directory + "/" + std::string(kListPrefix) + stamp_of(shown);
  if (auto list = read_list(path)) return list;
  std::vector<std::string> found;
  for (const auto& source : shown) {
    auto below = TRY(look_for_unreadable(source.path, reader));
    for (auto& one : below)
      found.push_back(source.target + one.substr(source.path.size()));
  }
  if (auto kept = write_list(cache_directory, path, found); !kept)
    log::debug("the list of unreadable files: {}", kept.error().to_string());
  return found;
}

}  // namespace belljar::jar
