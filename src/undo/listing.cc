#include "undo/listing.h"

#include <algorithm>

#include <fmt/core.h>

#include "wire/codec.h"

namespace belljar::undo {

namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kMaxText = 2U << 30;

/// What can't be brought back to what it was is left out, so that it makes no checkpoint of its own.
bool is_unsteady(const Entry& entry) { return entry.storage == Storage::unsaved || S_ISSOCK(entry.mode); }

void encode_entry(const State& state, const Entry& entry, wire::Encoder& out) {
  bool unsteady = is_unsteady(entry);
  out.text(state.name(entry)).u32(entry.mode).u32(entry.user).u32(entry.group);
  out.u64(unsteady ? 0 : entry.size);
  out.u64(unsteady ? 0 : static_cast<std::uint64_t>(entry.modified.seconds));
  out.u32(unsteady ? 0 : entry.modified.nanoseconds);
  out.u64(entry.number).u64(unsteady ? 0 : entry.link);
  out.u8(static_cast<std::uint8_t>(entry.storage)).u8(static_cast<std::uint8_t>(entry.reason));
  bool has_content = !unsteady && (entry.storage != Storage::nothing || entry.is_directory());
  out.bytes(has_content ? BytesView(entry.content.bytes) : BytesView());
  out.text(unsteady ? std::string_view() : state.attributes(entry));
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

bool is_possible(const Entry& entry, std::size_t content) {
  bool unsaved = entry.storage == Storage::unsaved;
  if (unsaved != (entry.reason != Reason::none) ||
      (entry.mode & ~(07777U | static_cast<unsigned>(S_IFMT))) != 0)
    return false;
  if (entry.modified.nanoseconds >= 1'000'000'000) return false;
  bool stored = entry.storage == Storage::blob || entry.storage == Storage::large;
  switch (entry.mode & S_IFMT) {
    case S_IFREG:
      return unsaved ? content == 0 : stored && content == 32;
    case S_IFLNK:
      return unsaved ? content == 0 : entry.storage == Storage::blob && content == 32;
    case S_IFDIR:
      return unsaved ? content == 0 : entry.storage == Storage::nothing && content == 32;
    case S_IFIFO:
    case S_IFSOCK:
    case S_IFCHR:
    case S_IFBLK:
      return !stored && content == 0;
    default:
      return false;
  }
}

Result<Entry> decode_entry(wire::Decoder& in, State& state) {
  Entry entry;
  auto name = TRY(in.text());
  if (!is_name(name)) return Error(ErrorCode::malformed, "a listing has a name that no file can have");
  entry.name_size = static_cast<std::uint32_t>(name.size());
  entry.name_at = state.add_text(name);
  entry.mode = TRY(in.u32());
  entry.user = TRY(in.u32());
  entry.group = TRY(in.u32());
  entry.size = TRY(in.u64());
  entry.modified.seconds = static_cast<std::int64_t>(TRY(in.u64()));
  entry.modified.nanoseconds = TRY(in.u32());
  entry.number = TRY(in.u64());
  entry.link = TRY(in.u64());
  auto storage = TRY(in.u8());
  auto reason = TRY(in.u8());
  if (storage > static_cast<std::uint8_t>(Storage::unsaved) ||
      reason > static_cast<std::uint8_t>(Reason::too_many))
    return Error(ErrorCode::malformed, "a listing is of a later version");
  entry.storage = static_cast<Storage>(storage);
  entry.reason = static_cast<Reason>(reason);
  auto content = TRY(in.bytes());
  auto attributes = TRY(in.text());
  if (!is_possible(entry, content.size()))
    return Error(ErrorCode::malformed, "a listing has an entry that can't be");
  std::copy(content.begin(), content.end(), entry.content.bytes.begin());
  entry.attributes_size = static_cast<std::uint32_t>(attributes.size());
  entry.attributes_at = state.add_text(attributes);
  return entry;
}

struct TreeEntry {
  std::string name;
  std::string_view mode;
  const ObjectId* id;
  [[nodiscard]] bool is_tree() const { return mode == "40000"; }
};

Bytes encode_tree_entries(std::vector<TreeEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](const TreeEntry& a, const TreeEntry& b) {
    return a.name + (a.is_tree() ? "/" : "") < b.name + (b.is_tree() ? "/" : "");
  });
  Bytes out;
  for (const auto& entry : entries) {
    auto head = fmt::format("{} {}", entry.mode, entry.name);
    out.insert(out.end(), head.begin(), head.end());
    out.push_back(0);
    out.insert(out.end(), entry.id->bytes.begin(), entry.id->bytes.end());
  }
  return out;
}

}  // namespace

Bytes encode_listing(const State& state, std::uint32_t first, std::uint32_t count) {
  wire::Encoder out;
  out.u8(kVersion).u32(count);
  for (auto n = first; n < first + count; ++n)
    encode_entry(state, state.entries[n], out);
  return out.take();
}

Result<void> decode_listing(BytesView bytes, State& state) {
  wire::Decoder in(bytes);
  if (TRY(in.u8()) != kVersion) return Error(ErrorCode::unsupported, "a listing is of a later version");
  auto count = TRY(in.u32());
  std::string before;
  for (std::uint32_t n = 0; n < count; ++n) {
    if (state.entries.size() >= kMaxEntries || state.text.size() > kMaxText)
      return Error(ErrorCode::limit_exceeded, "a checkpoint has too many entries");
    auto entry = TRY(decode_entry(in, state));
    auto name = state.name(entry);
    if (n > 0 && name <= before) return Error(ErrorCode::malformed, "a listing is out of order");
    before = name;
    state.entries.push_back(entry);
  }
  return in.finish();
}

std::string tree_name(std::string_view name) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=@, ()[]";
  std::string encoded;
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  bool misleading = name.size() >= 4 && name[0] == '.' && lower(name[1]) == 'g' && lower(name[2]) == 'i' &&
                    lower(name[3]) == 't';
  for (std::size_t n = 0; n < name.size(); ++n) {
    bool plain = kPlain.find(name[n]) != std::string_view::npos && !(n == 0 && misleading);
    encoded += plain ? std::string(1, name[n]) : fmt::format("%{:02x}", static_cast<unsigned char>(name[n]));
  }
  return encoded;
}

Bytes encode_tree(const State& state, const Directory& directory, const ObjectId& listing) {
  std::vector<TreeEntry> entries{{"%listing", "100644", &listing}};
  for (auto n = directory.first; n < directory.first + directory.count; ++n) {
    const auto& entry = state.entries[n];
    if (entry.child != kNone)
      entries.push_back({tree_name(state.name(entry)), "40000", &state.directories[entry.child].tree});
    else if (entry.storage == Storage::blob && entry.is_symlink())
      entries.push_back({tree_name(state.name(entry)), "120000", &entry.content});
    else if (entry.storage == Storage::blob)
      entries.push_back(
          {tree_name(state.name(entry)), (entry.mode & 0100) != 0 ? "100755" : "100644", &entry.content});
  }
  return encode_tree_entries(std::move(entries));
}

Bytes encode_top_tree(const ObjectId& top_listing, const ObjectId& tree) {
  return encode_tree_entries({{"%listing", "100644", &top_listing}, {"workspace", "40000", &tree}});
}

}  // namespace belljar::undo
