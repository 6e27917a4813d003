#include "keeper/tree_size.h"

#include <cerrno>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMaxNames =
    1'000'000;                           // files with several names that are remembered; more count twice
constexpr std::size_t kLongPath = 2000;  // bytes; below that a directory is held open instead
constexpr std::size_t kOverhead = 64;    // bytes that a waiting directory takes beside its path
constexpr unsigned kMask = STATX_BASIC_STATS | STATX_MNT_ID;

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, DirectoryCloser>;

/// A directory still to be looked at: by a short path from one that is held open.
struct Waiting {
  std::shared_ptr<os::Fd> base;
  std::string path;
  [[nodiscard]] std::size_t size() const { return path.size() + kOverhead; }
};

/// Whether the files that a jar can write to are all counted even so: what it moves or deletes meanwhile is
/// seen at the next look, and what it may not enter it could not fill.
bool is_harmless(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EACCES || error == EPERM;
}

class Measuring {
 public:
  explicit Measuring(const TreeBounds& bounds) : bounds_(bounds) {}

  TreeSize run(const std::string& path) {
    os::Fd root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!root || ::statx(root.get(), "", AT_EMPTY_PATH, kMask, &root_) < 0) {
      size_.complete = errno == ENOENT;
      return size_;
    }
    push({std::make_shared<os::Fd>(std::move(root)), "."});
    while (!waiting_.empty()) {
      auto next = std::move(waiting_.back());
      waiting_.pop_back();
      waiting_bytes_ -= next.size();
      look(next);
    }
    return size_;
  }

 private:
  void push(Waiting directory) {
    waiting_bytes_ += directory.size();
    if (waiting_bytes_ > bounds_.waiting) return give_up();
    waiting_.push_back(std::move(directory));
  }

  void give_up() {
    size_.complete = false;
    waiting_.clear();
    waiting_bytes_ = 0;
    gave_up_ = true;
  }

  void failed(int error) {
    if (!is_harmless(error)) size_.complete = false;
  }

  void look(Waiting& place) {
    int fd = ::openat(place.base->get(), place.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    Directory directory(fd < 0 ? nullptr : ::fdopendir(fd));
    if (!directory) return failed(errno);
    if (place.path.size() > kLongPath) {
      place.base = std::make_shared<os::Fd>(::openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
      place.path = ".";
    }
    while (true) {
      errno = 0;
      const auto* entry = ::readdir(directory.get());
      if (entry == nullptr) return errno == 0 ? void() : failed(errno);
      std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (++entries_ > bounds_.entries) return give_up();
      add(fd, entry->d_name, place);
      if (gave_up_) return;
    }
  }

  /// By mount, not by device: one file system can have several of those (layers, subvolumes).
  [[nodiscard]] bool is_elsewhere(const struct statx& status) const {
    if ((root_.stx_mask & status.stx_mask & STATX_MNT_ID) != 0) return status.stx_mnt_id != root_.stx_mnt_id;
    return status.stx_dev_major != root_.stx_dev_major || status.stx_dev_minor != root_.stx_dev_minor;
  }

  void add(int directory, const char* name, const Waiting& place) {
    struct statx status {};
    if (::statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, kMask, &status) < 0)
      return failed(errno);
    if (is_elsewhere(status)) return;
    constexpr std::uint64_t kBlock = 512;  // statx(2)
    bool is_directory = S_ISDIR(status.stx_mode);
    bool seen = !is_directory && status.stx_nlink > 1 && names_.size() < kMaxNames &&
                !names_.insert(std::tuple(status.stx_dev_major, status.stx_dev_minor, status.stx_ino)).second;
    if (!seen) size_.bytes += status.stx_blocks * kBlock;
    if (is_directory) push({place.base, place.path + "/" + name});
  }

  const TreeBounds& bounds_;
  TreeSize size_;
  struct statx root_ {};
  std::size_t entries_ = 0;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> names_;
  std::vector<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool gave_up_ = false;
};

}  // namespace

TreeSize measure_tree(const std::string& path, const TreeBounds& bounds) {
  return Measuring(bounds).run(path);
}

}  // namespace belljar::keeper
