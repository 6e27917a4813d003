#include "keeper/disk_watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fork.h"
#include "os/pid.h"
#include "rt/deadline.h"
#include "rt/loop.h"

namespace belljar::keeper {

namespace {

constexpr auto kLook = std::chrono::seconds(2);      // at the file system's room: one system call
constexpr auto kSlow = std::chrono::seconds(60);     // between measurements that nothing asks for
constexpr auto kLongest = std::chrono::minutes(30);  // that one may take
constexpr int kPart = 20;                            // measuring takes at most one 20th of the time
constexpr std::size_t kMaxEntries = 20'000'000;
constexpr std::size_t kMaxNames = 1'000'000;  // files with several names that are remembered
constexpr std::size_t kLongPath = 2000;       // bytes; below that a directory is held open instead

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, DirectoryCloser>;

/// A directory still to be looked at: by a short path from one that is held open.
struct Waiting {
  std::shared_ptr<os::Fd> base;
  std::string path;
};

class Measuring {
 public:
  TreeSize run(const std::string& path) {
    os::Fd root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!root || ::fstat(root.get(), &status) < 0) {
      size_.complete = errno == ENOENT;
      return size_;
    }
    device_ = status.st_dev;
    waiting_.push_back({std::make_shared<os::Fd>(std::move(root)), "."});
    while (!waiting_.empty()) {
      auto next = std::move(waiting_.back());
      waiting_.pop_back();
      look(next);
    }
    return size_;
  }

 private:
  void look(Waiting& place) {
    int fd = ::openat(place.base->get(), place.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    Directory directory(fd < 0 ? nullptr : ::fdopendir(fd));
    if (!directory) {
      if (errno != ENOENT) size_.complete = false;
      return;
    }
    if (place.path.size() > kLongPath) {
      place.base = std::make_shared<os::Fd>(::openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
      place.path = ".";
    }
    while (const auto* entry = ::readdir(directory.get())) {
      std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (++entries_ > kMaxEntries) {
        size_.complete = false;
        waiting_.clear();
        return;
      }
      add(fd, entry->d_name, place);
    }
  }

  void add(int directory, const char* name, const Waiting& place) {
    struct stat status {};
    if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || status.st_dev != device_) return;
    constexpr std::uint64_t kBlock = 512;  // stat(2)
    bool seen = !S_ISDIR(status.st_mode) && status.st_nlink > 1 && names_.size() < kMaxNames &&
                !names_.insert(status.st_ino).second;
    if (!seen) size_.bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlock;
    if (S_ISDIR(status.st_mode)) waiting_.push_back({place.base, place.path + "/" + name});
  }

  TreeSize size_;
  dev_t device_ = 0;
  std::size_t entries_ = 0;
  std::set<ino_t> names_;
  std::vector<Waiting> waiting_;
};

/// What the child tells.
struct Told {
  std::uint64_t own = 0;
  std::uint64_t workspace = 0;
};

void take_lowest_priority() {
  constexpr int kLowest = 19, kThisProcess = 1, kIdle = 3 << 13;  // ioprio_set(2)
  (void)::setpriority(PRIO_PROCESS, 0, kLowest);
  (void)::syscall(SYS_ioprio_set, kThisProcess, 0, kIdle);
}

}  // namespace

TreeSize measure_tree(const std::string& path) { return Measuring().run(path); }

Result<DiskWatch::Measured> DiskWatch::measure() {
  auto pipe = TRY(os::create_pipe());
  auto begun = rt::now();
  auto child = TRY(os::fork_process(os::Lifetime::parents, [&] {
    take_lowest_priority();
    if (users_) (void)::setns(users_.get(), CLONE_NEWUSER);
    Told told;
    for (const auto& path : own_)
      told.own += measure_tree(path).bytes;
    if (!workspace_.empty()) told.workspace = measure_tree(workspace_).bytes;
    return ::write(pipe.second.get(), &told, sizeof told) == sizeof told ? 0 : 1;
  }));
  pipe.second.reset();
  TRY(rt::await_readable(pipe.first.get(), rt::Deadline::after(kLongest)));
  Told told;
  if (::read(pipe.first.get(), &told, sizeof told) != sizeof told)
    return Error(ErrorCode::internal, "what the jar takes of the disk could not be measured");
  took_ = rt::now() - begun;
  return Measured{told.own, told.workspace};
}

/// What the jar takes now.
Result<std::uint64_t> DiskWatch::look() {
  auto measured = TRY(measure());
  if (!std::exchange(begun_, true)) workspace_before_ = measured.workspace;
  auto grown = measured.workspace > workspace_before_ ? measured.workspace - workspace_before_ : 0;
  return measured.own + grown;
}

/// Of the file systems that the jar writes to the sum: what is lost there is at most what the jar has added
/// and others with it.
std::uint64_t DiskWatch::free_room() const {
  std::uint64_t room = 0;
  auto add = [&room](const std::string& path) {
    struct statvfs status {};
    if (::statvfs(path.c_str(), &status) == 0) room += std::uint64_t{status.f_bfree} * status.f_frsize;
  };
  add(own_.front());
  if (!workspace_.empty()) add(workspace_);
  return room;
}

Result<std::uint64_t> DiskWatch::await_excess() {
  while (true) {
    auto room = free_room();
    auto taken = TRY(look());
    if (taken > limit_) return taken;
    auto measured = rt::now();
    auto left = limit_ - taken;
    while (true) {
      TRY(rt::sleep(std::max<rt::Duration>(kLook, took_ * kPart)));
      auto now = free_room();
      if (now < room && room - now > left) break;
      if (rt::now() - measured >= kSlow) break;
    }
  }
}

}  // namespace belljar::keeper
