#include "keeper/nameless_files.h"

#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "keeper/processes.h"
#include "os/fd.h"

namespace belljar::keeper {

namespace {

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, DirectoryCloser>;

Directory open_directory(const std::string& path) { return Directory(::opendir(path.c_str())); }

bool is_in_memory(int directory, const char* name) {
  os::Fd file(::openat(directory, name, O_PATH | O_CLOEXEC));
  struct statfs where {};
  if (!file || ::fstatfs(file.get(), &where) < 0) return false;
  return where.f_type == TMPFS_MAGIC || where.f_type == RAMFS_MAGIC || where.f_type == HUGETLBFS_MAGIC;
}

class Measuring {
 public:
  explicit Measuring(std::size_t most_descriptors) : left_(most_descriptors) {}

  /// Threads can have descriptors of their own.
  void look_at_process(pid_t process) {
    auto path = fmt::format("/proc/{}/task", process);
    auto threads = open_directory(path);
    if (!threads) return failed(errno);
    while (const auto* thread = files_.complete ? next_of(threads) : nullptr)
      look_at_thread(fmt::format("{}/{}/fd", path, thread->d_name));
  }

  NamelessFiles files_;

 private:
  /// Of what ends meanwhile nothing is missing; what this process lacks means files that nobody counts.
  void failed(int error) {
    if (error == EMFILE || error == ENFILE || error == ENOMEM) files_.complete = false;
  }

  /// Null at the end, also at one that comes too early.
  const dirent* next_of(const Directory& directory) {
    while (true) {
      errno = 0;
      const auto* entry = ::readdir(directory.get());
      if (entry == nullptr) failed(errno);
      if (entry == nullptr || entry->d_name[0] != '.') return entry;
    }
  }

  void look_at_thread(const std::string& path) {
    auto descriptors = open_directory(path);
    if (!descriptors) return failed(errno);
    while (const auto* descriptor = next_of(descriptors)) {
      if (left_ == 0) {
        files_.complete = false;
        return;
      }
      --left_;
      add(::dirfd(descriptors.get()), descriptor->d_name);
    }
  }

  void add(int directory, const char* name) {
    constexpr std::uint64_t kBlock = 512;  // stat(2)
    struct stat status {};
    if (::fstatat(directory, name, &status, 0) < 0) return;  // closed meanwhile
    if (!S_ISREG(status.st_mode) || status.st_nlink != 0 || status.st_blocks == 0) return;
    if (!seen_.insert({status.st_dev, status.st_ino}).second || is_in_memory(directory, name)) return;
    files_.bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlock;
  }

  std::size_t left_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

NamelessFiles measure_nameless_files(pid_t first, std::size_t most_descriptors) {
  auto processes = all_processes_below(first);
  if (!processes) return {.bytes = 0, .complete = false};
  Measuring measuring(most_descriptors);
  for (auto process : *processes)
    measuring.look_at_process(process);
  return measuring.files_;
}

}  // namespace belljar::keeper
