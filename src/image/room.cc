#include "image/room.h"

#include <cerrno>

#include <fmt/core.h>
#include <sys/statvfs.h>

#include "jar/root/image_tree.h"

namespace belljar::image {

namespace {

/// What must be free before anything is fetched, and what stays free for everybody else.
constexpr std::uint64_t kToBegin = 2ULL << 30;
constexpr std::uint64_t kToLeave = 1ULL << 30;

struct Free {
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;  ///< 0 on file systems that have no such limit
};

Result<Free> free_in(const std::string& directory) {
  struct statvfs space {};
  if (::statvfs(directory.c_str(), &space) < 0)
    return Error::from_errno(errno, "look for room in " + directory);
  return Free{static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize, space.f_favail};
}

Error too_large(const std::string& why) {
  return Error(ErrorCode::limit_exceeded, why)
      .with_hint("use a smaller image   (docker://debian:12-slim, node:22-slim …)");
}

}  // namespace

Result<RoomWatch> RoomWatch::begin(std::string directory) {
  auto free = TRY(free_in(directory));
  if (free.bytes < kToBegin)
    return Error(ErrorCode::limit_exceeded,
                 fmt::format("of the 2 GB that must be free in {} for an image there are {} MB", directory,
                             free.bytes / 1'000'000))
        .with_hint(fmt::format(
            "df -h {}   (make room, or set root = \"readonly\" under [jar] in config.toml)", directory));
  RoomWatch watch(std::move(directory));
  watch.bytes_ = free.bytes;
  watch.files_ = free.files;
  return watch;
}

Result<void> RoomWatch::check() const {
  const jar::TreeBounds bounds;
  auto free = TRY(free_in(directory_));
  if (free.bytes < kToLeave)
    return too_large(fmt::format("the image left less than 1 GB free in {}", directory_));
  if (free.bytes < bytes_ && bytes_ - free.bytes > bounds.bytes)
    return too_large(fmt::format("the image takes more than {} GiB", bounds.bytes >> 30));
  if (free.files != 0 && free.files < files_ && files_ - free.files > bounds.entries)
    return too_large(fmt::format("the image has more than {} files and directories", bounds.entries));
  return {};
}

}  // namespace belljar::image
