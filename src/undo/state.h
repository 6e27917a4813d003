// State: a workspace at one moment, without the contents of its files: which entries there are, what they are
// like, and under which names their contents are in the store.
//
// A checkpoint is read into a State, a scan of the workspace makes one, and the difference of two is what an
// undo does. The index (index.h) is a State as it was last seen, on disk.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include "undo/object_id.h"

namespace belljar::undo {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
/// What is beyond this is not saved: a jar can make empty files without end.
inline constexpr std::size_t kMaxEntries = 4'000'000;

/// Where the content of an entry is.
enum class Storage : std::uint8_t {
  nothing = 0,  ///< it has none: a directory's is its listing, a FIFO's nothing
  blob = 1,     ///< an object: a file's bytes, a symlink's target
  large = 2,    ///< a file of its own (large_files.h)
  unsaved = 3,  ///< not saved, see Reason
};

/// Why the content was not saved.
enum class Reason : std::uint8_t {
  none = 0,
  ignored = 1,     ///< git ignores it and it is larger than the rule for such files
  no_room = 2,     ///< it doesn't fit into the store's size
  unreadable = 3,  ///< it belongs to somebody else, or changed all the while
  mounted = 4,     ///< another file system is mounted there
  too_many = 5,    ///< a directory with more entries than there is place for
};

struct Moment {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  std::uint32_t padding = 0;
  friend bool operator==(const Moment&, const Moment&) = default;
  [[nodiscard]] timespec to_timespec() const {
    return {.tv_sec = seconds, .tv_nsec = static_cast<long>(nanoseconds)};
  }
};
inline Moment to_moment(const timespec& time) {
  return {time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec)};
}

/// One entry of a directory. Laid out without holes, as it is written into the index.
struct Entry {
  ObjectId content;
  std::uint64_t size = 0;  ///< of a file
  Moment modified;
  Moment changed;            ///< ctime; only ever compared with the same file's
  std::uint64_t inode = 0;   ///< likewise
  std::uint64_t number = 0;  ///< of a device
  std::uint64_t link = 0;    ///< equal and not 0: hard links to one file
  std::uint32_t mode = 0;    ///< with the type
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint32_t name_at = 0;
  std::uint32_t name_size = 0;
  std::uint32_t attributes_at = 0;  ///< extended attributes, encoded (attributes.h)
  std::uint32_t attributes_size = 0;
  std::uint32_t child = kNone;  ///< of a directory that was read: its number
  Storage storage = Storage::nothing;
  Reason reason = Reason::none;
  std::uint8_t racy = 0;  ///< changed so shortly before it was read that its times can't tell a later change
  std::uint8_t padding[5] = {};

  [[nodiscard]] bool is_directory() const { return S_ISDIR(mode); }
  [[nodiscard]] bool is_file() const { return S_ISREG(mode); }
  [[nodiscard]] bool is_symlink() const { return S_ISLNK(mode); }
};
static_assert(sizeof(Entry) == 136);

/// A directory's entries stand together, sorted by the bytes of their names.
struct Directory {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t entry = 0;       ///< its own
  std::uint32_t parent = kNone;  ///< its parent's number; smaller than its own
  ObjectId listing;
  ObjectId tree;
};
static_assert(sizeof(Directory) == 80);

struct State {
  std::vector<Directory> directories;  ///< the first is the workspace
  std::vector<Entry> entries;          ///< the first is the workspace's own, without a name
  std::string text;                    ///< names and attributes

  [[nodiscard]] bool empty() const { return directories.empty(); }
  [[nodiscard]] std::string_view name(const Entry& entry) const {
    return std::string_view(text).substr(entry.name_at, entry.name_size);
  }
  [[nodiscard]] std::string_view attributes(const Entry& entry) const {
    return std::string_view(text).substr(entry.attributes_at, entry.attributes_size);
  }
  /// Path of an entry of the directory `number`, relative to the workspace; none where it is longer than
  /// `longest` bytes. Directories can be nested without end: a path's length has no bound of its own.
  [[nodiscard]] std::optional<std::string> path_within(std::uint32_t number, const Entry& entry,
                                                       std::size_t longest) const;
  /// The same for people: only the name, after an ellipsis, where the path is too long.
  [[nodiscard]] std::string shown_path(std::uint32_t number, const Entry& entry) const;
  /// The entry's number in the directory, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint32_t number, std::string_view name) const;
  std::uint32_t add_text(std::string_view added);
};

/// Whether an undo to the one makes the other: everything but inode and ctime, which can't be brought back,
/// and what is below directories.
bool is_same_entry(const State& a, const Entry& in_a, const State& b, const Entry& in_b);
/// The same without name, times and other attributes: what a restore need not write again.
bool has_same_content(const Entry& a, const Entry& b);

}  // namespace belljar::undo
