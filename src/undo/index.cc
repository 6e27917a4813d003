#include "undo/index.h"

#include <algorithm>
#include <type_traits>

#include "undo/deflate.h"

namespace belljar::undo {

namespace {

constexpr char kMagic[8] = {'b', 'j', 'i', 'n', 'd', 'e', 'x', '1'};

struct Header {
  char magic[8];
  std::uint8_t settled;  ///< at kSettledAt; not covered by the checksum
  std::uint8_t padding[3];
  std::uint32_t checksum;  ///< of everything behind the header's first 16 bytes
  std::uint64_t checkpoint;
  ObjectId top;
  char boot[kBootSize];
  std::uint64_t directories;
  std::uint64_t entries;
  std::uint64_t text;
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 8 + 8 + 8 + 32 + 40 + 24);
static_assert(std::is_trivially_copyable_v<Entry> && std::is_trivially_copyable_v<Directory>);
static_assert(offsetof(Header, settled) == kSettledAt && offsetof(Header, boot) == kBootAt);
constexpr std::size_t kUnchecked = 16;

template <typename Item>
void append(const std::vector<Item>& items, Bytes& out) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(items.data());
  out.insert(out.end(), begin, begin + items.size() * sizeof(Item));
}

template <typename Item>
void take(BytesView& bytes, std::uint64_t count, std::vector<Item>& items) {
  items.resize(count);
  if (count != 0) std::memcpy(items.data(), bytes.data(), count * sizeof(Item));
  bytes = bytes.subspan(count * sizeof(Item));
}

bool lies_within(std::uint64_t at, std::uint64_t size, std::uint64_t whole) {
  return at <= whole && size <= whole - at;
}

bool is_entry(const State& state, const Entry& entry, bool is_top) {
  bool in_text = lies_within(entry.name_at, entry.name_size, state.text.size()) &&
                 lies_within(entry.attributes_at, entry.attributes_size, state.text.size());
  bool named = is_top == (entry.name_size == 0);
  bool told = entry.storage <= Storage::unsaved && entry.reason <= Reason::too_many;
  bool directory = entry.child == kNone || (entry.is_directory() && entry.child < state.directories.size());
  return in_text && named && told && directory;
}

/// Every directory but the first has one parent, which comes before it, and one entry there; its own entries
/// stand together and in order.
bool is_directory(const State& state, std::uint32_t number) {
  const auto& directory = state.directories[number];
  if (!lies_within(directory.first, directory.count, state.entries.size())) return false;
  if (directory.entry >= state.entries.size() || state.entries[directory.entry].child != number) return false;
  if (number == 0) {
    if (directory.parent != kNone || directory.entry != 0) return false;
  } else {
    if (directory.parent >= number) return false;
    const auto& parent = state.directories[directory.parent];
    if (directory.entry < parent.first || directory.entry - parent.first >= parent.count) return false;
  }
  for (auto n = directory.first; n < directory.first + directory.count; ++n) {
    const auto& entry = state.entries[n];
    if (n > directory.first && state.name(state.entries[n - 1]) >= state.name(entry)) return false;
    if (entry.child != kNone && state.directories[entry.child].parent != number) return false;
  }
  return true;
}

bool is_state(const State& state) {
  if (state.directories.empty() || state.entries.empty()) return false;
  for (std::size_t n = 0; n < state.entries.size(); ++n)
    if (!is_entry(state, state.entries[n], n == 0)) return false;
  for (std::uint32_t n = 0; n < state.directories.size(); ++n)
    if (!is_directory(state, n)) return false;
  return true;
}

}  // namespace

Bytes encode_index(const Index& index) {
  Header header{};
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  header.settled = index.settled ? 1 : 0;
  header.checkpoint = index.checkpoint;
  header.top = index.top;
  std::copy_n(index.boot.begin(), std::min(index.boot.size(), kBootSize), header.boot);
  header.directories = index.state.directories.size();
  header.entries = index.state.entries.size();
  header.text = index.state.text.size();
  Bytes out;
  out.reserve(sizeof header + header.directories * sizeof(Directory) + header.entries * sizeof(Entry) +
              header.text);
  const auto* begin = reinterpret_cast<const std::uint8_t*>(&header);
  out.insert(out.end(), begin, begin + sizeof header);
  append(index.state.directories, out);
  append(index.state.entries, out);
  out.insert(out.end(), index.state.text.begin(), index.state.text.end());
  header.checksum = checksum(BytesView(out).subspan(kUnchecked));
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

Result<Index> decode_index(BytesView bytes) {
  Error damaged(ErrorCode::malformed, "the index is damaged");
  Header header{};
  if (bytes.size() < sizeof header) return damaged;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (!std::equal(std::begin(kMagic), std::end(kMagic), header.magic)) return damaged;
  if (header.checksum != checksum(bytes.subspan(kUnchecked))) return damaged;
  auto rest = bytes.subspan(sizeof header);
  if (header.directories > kMaxEntries || header.entries > kMaxEntries || header.text > rest.size())
    return damaged;
  if (rest.size() != header.directories * sizeof(Directory) + header.entries * sizeof(Entry) + header.text)
    return damaged;
  Index index;
  index.checkpoint = header.checkpoint;
  index.top = header.top;
  index.boot.assign(header.boot, strnlen(header.boot, kBootSize));
  index.settled = header.settled == 1;
  take(rest, header.directories, index.state.directories);
  take(rest, header.entries, index.state.entries);
  index.state.text.assign(as_text(rest));
  if (!is_state(index.state)) return damaged;
  return index;
}

}  // namespace belljar::undo
