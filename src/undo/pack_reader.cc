#include <algorithm>

#include <fmt/core.h>

#include "undo/pack.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kFanOut = 8;
constexpr std::size_t kIds = kFanOut + 256 * 4;
constexpr std::size_t kIdSize = 32;
constexpr std::size_t kTrailer = 2 * kIdSize;
constexpr std::uint32_t kLarge = 1U << 31;
constexpr std::size_t kPackHeader = 12;

Error damaged(const std::string& what) { return {ErrorCode::malformed, what}; }

}  // namespace

std::uint32_t PackIndex::word(std::size_t at) const {
  return static_cast<std::uint32_t>(bytes_[at]) << 24 | static_cast<std::uint32_t>(bytes_[at + 1]) << 16 |
         static_cast<std::uint32_t>(bytes_[at + 2]) << 8 | bytes_[at + 3];
}

Result<PackIndex> PackIndex::parse(BytesView bytes) {
  PackIndex index;
  index.bytes_ = bytes;
  static constexpr std::uint8_t kMagic[] = {0xff, 't', 'O', 'c', 0, 0, 0, 2};
  if (bytes.size() < kIds + kTrailer || !std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin()))
    return damaged("not the index of a pack");
  std::uint32_t before = 0;
  for (std::size_t first = 0; first < 256; ++first) {
    auto below = index.word(kFanOut + 4 * first);
    if (below < before) return damaged("the index of a pack counts backwards");
    before = below;
  }
  index.count_ = before;
  auto tables = static_cast<std::uint64_t>(before) * (kIdSize + 8);
  if (bytes.size() < kIds + tables + kTrailer) return damaged("the index of a pack is cut off");
  std::uint64_t large = (bytes.size() - kIds - tables - kTrailer) / 8;
  for (std::size_t n = 0; n < index.count_; ++n) {
    auto offset = index.word(kIds + index.count_ * (kIdSize + 4) + 4 * n);
    if ((offset & kLarge) != 0 && (offset & ~kLarge) >= large)
      return damaged("the index of a pack points beyond itself");
  }
  return index;
}

std::optional<std::size_t> PackIndex::find(const ObjectId& wanted) const {
  if (count_ == 0) return {};
  std::size_t first = wanted.bytes[0] == 0 ? 0 : word(kFanOut + 4 * (wanted.bytes[0] - 1U));
  std::size_t last = word(kFanOut + 4U * wanted.bytes[0]);
  while (first < last) {
    auto middle = first + (last - first) / 2;
    auto order = std::memcmp(bytes_.data() + kIds + middle * kIdSize, wanted.bytes.data(), kIdSize);
    if (order == 0) return middle;
    if (order < 0)
      first = middle + 1;
    else
      last = middle;
  }
  return {};
}

ObjectId PackIndex::id(std::size_t number) const {
  ObjectId id;
  std::memcpy(id.bytes.data(), bytes_.data() + kIds + number * kIdSize, kIdSize);
  return id;
}

std::uint64_t PackIndex::offset(std::size_t number) const {
  auto offset = word(kIds + count_ * (kIdSize + 4) + 4 * number);
  if ((offset & kLarge) == 0) return offset;
  auto at = kIds + count_ * (kIdSize + 8) + 8 * static_cast<std::size_t>(offset & ~kLarge);
  return static_cast<std::uint64_t>(word(at)) << 32 | word(at + 4);
}

ObjectId PackIndex::pack() const {
  ObjectId id;
  std::memcpy(id.bytes.data(), bytes_.data() + bytes_.size() - kTrailer, kIdSize);
  return id;
}

Result<ObjectHeader> parse_object_header(BytesView bytes) {
  ObjectHeader header;
  unsigned shift = 4;
  for (std::size_t n = 0;; ++n) {
    if (n >= bytes.size() || n >= 9) return damaged("the header of an object is damaged");
    auto byte = bytes[n];
    if (n == 0) {
      auto type = byte >> 4 & 7;
      if (type < 1 || type > 3) return damaged("an object is of an unknown type");
      header.type = static_cast<ObjectType>(type);
      header.size = byte & 15U;
    } else {
      header.size |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      shift += 7;
    }
    if ((byte & 0x80) == 0) {
      header.length = n + 1;
      return header;
    }
  }
}

Result<Pack> Pack::open(const std::string& path) {
  Pack pack;
  pack.path_ = path;
  pack.index_ = TRY(Mapping::open(path + ".idx"));
  pack.parsed_ = TRY(PackIndex::parse(pack.index_.bytes()).context("reading " + path + ".idx"));
  pack.pack_ = TRY(Mapping::open(path + ".pack"));
  auto bytes = pack.pack_.bytes();
  if (bytes.size() < kPackHeader + kIdSize || as_text(bytes.first(4)) != "PACK")
    return damaged(path + ".pack is no pack");
  auto end = bytes.size() - kIdSize;
  pack.ends_.reserve(pack.parsed_.count() + 1);
  for (std::size_t n = 0; n < pack.parsed_.count(); ++n) {
    auto offset = pack.parsed_.offset(n);
    if (offset < kPackHeader || offset >= end) return damaged(path + ".pack is shorter than its index says");
    pack.ends_.push_back(offset);
  }
  pack.ends_.push_back(end);
  std::sort(pack.ends_.begin(), pack.ends_.end());
  return pack;
}

Result<PackedObject> Pack::packed(std::size_t number) const {
  auto offset = parsed_.offset(number);
  auto end = *std::upper_bound(ends_.begin(), ends_.end(), offset);
  auto bytes = pack_.bytes().subspan(offset, end - offset);
  return PackedObject{.id = parsed_.id(number), .checksum = checksum(bytes), .bytes = bytes};
}

Result<Object> Pack::read(std::size_t number) const {
  auto id = parsed_.id(number);
  auto bytes = TRY(packed(number)).bytes;
  auto doing = [&] { return fmt::format("reading {} of {}.pack", id.to_text(), path_); };
  auto header = TRY(parse_object_header(bytes).context(doing()));
  auto content = TRY(inflate(bytes.subspan(header.length), header.size).context(doing()));
  if (id_of(header.type, content) != id) return damaged("the content is not what it was").context(doing());
  return Object{.type = header.type, .content = std::move(content)};
}

bool Pack::is_whole() const {
  auto bytes = pack_.bytes();
  Hasher hasher;
  hasher.add(bytes.first(bytes.size() - kIdSize));
  auto sum = hasher.finish();
  return sum == parsed_.pack() && std::equal(sum.bytes.begin(), sum.bytes.end(), bytes.end() - kIdSize);
}

}  // namespace belljar::undo
