#include "undo/git_index.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "undo/object_id.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kStat = 40;  // ctime, mtime, dev, ino, mode, uid, gid, size
constexpr std::size_t kModeAt = 24;
constexpr std::size_t kSha1 = 20;
constexpr std::size_t kSha256 = 32;
constexpr unsigned kExtended = 0x4000;  // two bytes of flags more

/// What can be found again: it says nothing about what is staged.
constexpr std::string_view kDerived[] = {"TREE", "UNTR", "FSMN", "EOIE", "IEOT"};

/// Goes through an index entry by entry; every answer but "nothing" is within the bytes.
class IndexReader {
 public:
  IndexReader(BytesView bytes, std::size_t hash) : bytes_(bytes), hash_(hash) {}

  bool begin() {
    if (bytes_.size() < kHeader + hash_) return false;
    end_ = bytes_.size() - hash_;
    version_ = number(4);
    count_ = number(8);
    at_ = kHeader;
    return text(0, 4) == "DIRC" && version_ >= 2 && version_ <= 4;
  }

  [[nodiscard]] bool has_entries() const { return read_ < count_; }

  /// Everything of the next entry but what stat(2) says of its file.
  std::optional<std::string_view> next() {
    auto start = at_;
    auto flags_at = start + kStat + hash_;
    if (end_ < flags_at || end_ - flags_at < 2) return {};
    auto flags = static_cast<unsigned>(bytes_[flags_at]) << 8U | bytes_[flags_at + 1];
    auto name = flags_at + 2;
    if ((flags & kExtended) != 0) name += 2;
    if (version_ == 4) {  // how much of the previous name goes: seven bits a byte
      std::size_t bytes = 0;
      while (name < end_ && (bytes_[name] & 0x80U) != 0 && ++bytes < 8)
        ++name;
      ++name;
    }
    if (name >= end_) return {};
    auto rest = text(name, end_ - name);
    auto zero = rest.find('\0');
    if (zero == std::string_view::npos) return {};
    at_ = name + zero + 1;
    if (version_ < 4) at_ = start + (at_ - start + 7) / 8 * 8;
    if (at_ > end_) return {};
    ++read_;
    mode_ = text(start + kModeAt, 4);
    return text(start + kStat, name + zero - start - kStat);
  }
  /// Of the entry that was read last.
  [[nodiscard]] std::string_view mode() const { return mode_; }

  /// The extensions that count, one after the other; nothing where they don't end at the end.
  std::optional<std::string> extensions() {
    std::string kept;
    while (at_ < end_) {
      if (end_ - at_ < 8) return {};
      auto name = text(at_, 4);
      auto size = number(at_ + 4);
      if (size > end_ - at_ - 8) return {};
      if (std::find(std::begin(kDerived), std::end(kDerived), name) == std::end(kDerived))
        kept += text(at_, 8 + size);
      at_ += 8 + size;
    }
    return kept;
  }

 private:
  [[nodiscard]] std::size_t number(std::size_t at) const {
    return static_cast<std::size_t>(bytes_[at]) << 24U | static_cast<std::size_t>(bytes_[at + 1]) << 16U |
           static_cast<std::size_t>(bytes_[at + 2]) << 8U | bytes_[at + 3];
  }
  [[nodiscard]] std::string_view text(std::size_t at, std::size_t size) const {
    return as_text(bytes_).substr(at, size);
  }

  BytesView bytes_;
  std::size_t hash_;  ///< bytes of an object name: 20, or 32 in a repository of SHA-256
  std::size_t end_ = 0;
  std::size_t at_ = 0;
  std::size_t version_ = 0;
  std::size_t count_ = 0;
  std::size_t read_ = 0;
  std::string_view mode_;
};

std::optional<bool> compare(BytesView a, BytesView b, std::size_t hash) {
  IndexReader one(a, hash);
  IndexReader other(b, hash);
  if (!one.begin() || !other.begin()) return {};
  bool same = true;
  while (one.has_entries() && other.has_entries() && same) {
    auto mine = one.next();
    auto theirs = other.next();
    if (!mine || !theirs) return {};
    same = *mine == *theirs && one.mode() == other.mode();
  }
  if (!same || one.has_entries() != other.has_entries()) return false;
  auto mine = one.extensions();
  auto theirs = other.extensions();
  if (!mine || !theirs) return {};
  return *mine == *theirs;
}

bool ends_with_sha256(BytesView index) {
  if (index.size() < kSha256) return false;
  Hasher hasher;
  hasher.add(index.first(index.size() - kSha256));
  auto hash = hasher.finish();
  return std::equal(hash.bytes.begin(), hash.bytes.end(), index.end() - static_cast<std::ptrdiff_t>(kSha256));
}

}  // namespace

bool say_the_same(BytesView a, BytesView b) {
  // Which hash a repository uses isn't in the file, but at its end is one of all before.
  auto hash = ends_with_sha256(a) && ends_with_sha256(b) ? kSha256 : kSha1;
  return compare(a, b, hash).value_or(false);
}

}  // namespace belljar::undo
