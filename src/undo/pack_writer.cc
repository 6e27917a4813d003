#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "undo/pack.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kBuffer = 1U << 20;
constexpr std::uint64_t kLargeOffset = 1ULL << 31;

void put_u32(Bytes& out, std::uint64_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(value >> shift));
}
void put_u64(Bytes& out, std::uint64_t value) {
  put_u32(out, value >> 32);
  put_u32(out, value & 0xffffffff);
}

void put_header(Bytes& out, ObjectType type, std::uint64_t size) {
  auto byte = static_cast<std::uint8_t>(static_cast<unsigned>(type) << 4 | (size & 15));
  for (size >>= 4; size != 0; size >>= 7) {
    out.push_back(byte | 0x80);
    byte = size & 0x7f;
  }
  out.push_back(byte);
}

Bytes pack_header(std::size_t objects) {
  Bytes header = to_bytes("PACK");
  put_u32(header, 2);
  put_u32(header, objects);
  return header;
}

}  // namespace

PackWriter::~PackWriter() {
  if (!file_ || finished_) return;
  ::unlink(pack_path().c_str());
  ::unlink(index_path().c_str());
}

void PackWriter::begin() {
  if (!file_ && buffer_.empty()) buffer_ = pack_header(0);
}

Result<void> PackWriter::flush() {
  if (!file_) file_ = TRY(os::open_file(pack_path(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW));
  TRY(os::write_all(file_.get(), buffer_).context("writing " + pack_path()));
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

Result<void> PackWriter::add(const ObjectId& id, ObjectType type, BytesView content) {
  begin();
  if (!ids_.insert(id).second) return {};
  if (!compressor_) compressor_.emplace();
  auto start = buffer_.size();
  put_header(buffer_, type, content.size());
  compressor_->append(content, buffer_);
  entries_.push_back({id, written_ + start, checksum(BytesView(buffer_).subspan(start))});
  if (buffer_.size() >= kBuffer) TRY(flush());
  return {};
}

Result<void> PackWriter::add(const PackedObject& object) {
  begin();
  if (!ids_.insert(object.id).second) return {};
  entries_.push_back({object.id, written_ + buffer_.size(), checksum(object.bytes)});
  buffer_.insert(buffer_.end(), object.bytes.begin(), object.bytes.end());
  if (buffer_.size() >= kBuffer) TRY(flush());
  return {};
}

Result<void> PackWriter::sync() {
  if (empty()) return {};
  TRY(flush());
  if (::fsync(file_.get()) < 0) return Error::from_errno(errno, "sync " + pack_path());
  return {};
}

/// The count stands in front and is covered by the checksum at the end, so that what was written is read back
/// where it isn't in memory still.
Result<ObjectId> PackWriter::seal() {
  auto header = pack_header(entries_.size());
  Hasher hasher;
  if (written_ == 0) {
    std::copy(header.begin(), header.end(), buffer_.begin());
    hasher.add(buffer_);
  } else {
    TRY(flush());
    if (::pwrite(file_.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
      return Error::from_errno(errno, "write " + pack_path());
    Bytes part(kBuffer);
    for (std::uint64_t at = 0; at < written_;) {
      auto got = ::pread(file_.get(), part.data(), part.size(), static_cast<off_t>(at));
      if (got <= 0) return Error::from_errno(got < 0 ? errno : EIO, "read " + pack_path());
      hasher.add(BytesView(part).first(static_cast<std::size_t>(got)));
      at += static_cast<std::uint64_t>(got);
    }
  }
  auto sum = hasher.finish();
  buffer_.insert(buffer_.end(), sum.bytes.begin(), sum.bytes.end());
  TRY(flush());
  return sum;
}

Result<void> PackWriter::write_index(const ObjectId& pack) {
  std::sort(entries_.begin(), entries_.end(), [](const Placed& a, const Placed& b) { return a.id < b.id; });
  Bytes out = {0xff, 't', 'O', 'c'};
  put_u32(out, 2);
  std::size_t below = 0;
  for (unsigned first = 0; first < 256; ++first) {
    while (below < entries_.size() && entries_[below].id.bytes[0] <= first)
      ++below;
    put_u32(out, below);
  }
  for (const auto& entry : entries_)
    out.insert(out.end(), entry.id.bytes.begin(), entry.id.bytes.end());
  for (const auto& entry : entries_)
    put_u32(out, entry.checksum);
  std::vector<std::uint64_t> large;
  for (const auto& entry : entries_) {
    if (entry.offset < kLargeOffset) {
      put_u32(out, entry.offset);
    } else {
      put_u32(out, kLargeOffset | large.size());
      large.push_back(entry.offset);
    }
  }
  for (auto offset : large)
    put_u64(out, offset);
  out.insert(out.end(), pack.bytes.begin(), pack.bytes.end());
  Hasher hasher;
  hasher.add(out);
  auto sum = hasher.finish();
  out.insert(out.end(), sum.bytes.begin(), sum.bytes.end());
  auto index = TRY(os::open_file(index_path(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW));
  return os::write_all(index.get(), out).context("writing " + index_path());
}

Result<void> PackWriter::finish() {
  if (empty()) return {};
  auto sum = TRY(seal());
  TRY(write_index(sum));
  finished_ = true;
  return {};
}

}  // namespace belljar::undo
