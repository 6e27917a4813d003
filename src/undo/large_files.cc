#include "undo/large_files.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::undo {

namespace {

constexpr std::size_t kBlock = 64U << 10;
constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kPage = 4U << 10;  // what is written: no more than a file system keeps a sparse file by

bool is_zero(BytesView block) {
  return block[0] == 0 && std::equal(block.begin() + 1, block.end(), block.begin());
}

Hasher begin_name(std::uint64_t size) {
  Hasher hasher;
  hasher.add("belljar large content\n" + std::to_string(size) + "\n");
  return hasher;
}

/// Calls `use` for every block that is not all zero, with its offset. Holes are skipped, not read.
Result<void> for_blocks(int file, std::uint64_t size,
                        const std::function<Result<void>(std::uint64_t, BytesView)>& use) {
  Bytes block(kBlock);
  for (std::uint64_t at = 0; at < size;) {
    auto data = ::lseek(file, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return {};
    // A file system without holes says EINVAL: everything is data.
    if (data > 0) at = std::max(at, static_cast<std::uint64_t>(data) / kBlock * kBlock);
    if (at >= size) return {};
    auto wanted = std::min<std::uint64_t>(kBlock, size - at);
    std::size_t got = 0;
    while (got < wanted) {
      auto read = ::pread(file, block.data() + got, wanted - got, static_cast<off_t>(at + got));
      if (read < 0 && errno == EINTR) continue;
      if (read < 0) return Error::from_errno(errno, "read a large file");
      if (read == 0) return Error(ErrorCode::cancelled, "a file got shorter while it was being read");
      got += static_cast<std::size_t>(read);
    }
    auto part = BytesView(block).first(wanted);
    if (!is_zero(part)) TRY(use(at, part));
    at += wanted;
  }
  return {};
}

void add_block(Hasher& hasher, std::uint64_t at, BytesView block) {
  hasher.add(std::to_string(at) + "\n");
  hasher.add(block);
}

Result<void> write_at(int file, std::uint64_t at, BytesView bytes) {
  while (!bytes.empty()) {
    auto wrote = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Error::from_errno(errno, "write a large file");
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    at += static_cast<std::uint64_t>(wrote);
  }
  return {};
}

/// Writes the pages that are not all zero, those side by side at once, while there is `room` for them.
Result<void> write_pages(int file, std::uint64_t at, BytesView block, std::uint64_t& room) {
  for (std::size_t from = 0; from < block.size();) {
    auto end = from;
    while (end < block.size() && !is_zero(block.subspan(end, std::min(kPage, block.size() - end))))
      end += std::min(kPage, block.size() - end);
    if (end == from) {
      from += std::min(kPage, block.size() - from);
      continue;
    }
    auto taken = (end - from + kPage - 1) / kPage * kPage;
    if (room < taken) return Error(ErrorCode::limit_exceeded, "a large file takes more room than there is");
    room -= taken;
    TRY(write_at(file, at + from, block.subspan(from, end - from)));
    from = end;
  }
  return {};
}

Result<std::uint64_t> size_of(int file) {
  struct stat status {};
  if (::fstat(file, &status) < 0) return Error::from_errno(errno, "look at a large file");
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

std::uint64_t allocated(int file) {
  struct stat status {};
  return ::fstat(file, &status) < 0 ? 0 : static_cast<std::uint64_t>(status.st_blocks) * 512;
}

Result<ObjectId> name_content(int file, std::uint64_t size) {
  auto hasher = begin_name(size);
  TRY(for_blocks(file, size, [&](std::uint64_t at, BytesView block) -> Result<void> {
    add_block(hasher, at, block);
    return {};
  }));
  return hasher.finish();
}

Result<Copied> copy_content(int from, int to, std::uint64_t room) {
  if (::ioctl(to, FICLONE, from) == 0) {
    auto size = TRY(size_of(to));
    return Copied{.id = TRY(name_content(to, size)), .shared = true};
  }
  auto size = TRY(size_of(from));
  if (::ftruncate(to, static_cast<off_t>(size)) < 0) return Error::from_errno(errno, "make a large file");
  auto hasher = begin_name(size);
  TRY(for_blocks(from, size, [&](std::uint64_t at, BytesView block) -> Result<void> {
    add_block(hasher, at, block);
    return write_pages(to, at, block, room);
  }));
  return Copied{.id = hasher.finish()};
}

std::string LargeFiles::path(const ObjectId& id) const { return directory_ + "/" + id.to_text(); }

bool LargeFiles::has(const ObjectId& id) const {
  struct stat status {};
  return ::lstat(path(id).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

Result<LargeContent> LargeFiles::save(int file, std::uint64_t room) const {
  auto temporary = directory_ + "/new";  // the store's lock is held: there is but one
  auto copy = TRY(os::open_file(temporary, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW));
  auto keep = [&]() -> Result<LargeContent> {
    auto copied = TRY(copy_content(file, copy.get(), room));
    if (has(copied.id)) {
      ::unlink(temporary.c_str());
      return LargeContent{.id = copied.id};
    }
    if (::rename(temporary.c_str(), path(copied.id).c_str()) < 0)
      return Error::from_errno(errno, "rename " + temporary);
    return LargeContent{.id = copied.id, .stored = copied.shared ? 0 : allocated(copy.get())};
  };
  auto kept = keep();
  if (!kept) ::unlink(temporary.c_str());
  return kept;
}

Result<void> LargeFiles::restore(const ObjectId& id, std::uint64_t size, int file) const {
  auto saved = TRY(os::open_file(path(id), O_RDONLY | O_NOFOLLOW));
  auto copied = TRY(copy_content(saved.get(), file, kNoBound));
  if (copied.id != id || TRY(size_of(file)) != size)
    return Error(ErrorCode::malformed, "the content saved in " + path(id) + " is not what it was");
  return {};
}

}  // namespace belljar::undo
