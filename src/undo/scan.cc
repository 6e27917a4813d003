#include "undo/scan.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <map>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "undo/attributes.h"
#include "undo/contents.h"
#include "undo/descent.h"
#include "undo/listing.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kMostTold = 1000;

/// What may still be added to a scan.
struct Place {
  std::size_t entries;
  std::size_t names;  ///< bytes
};

/// getdents64(2) without the cost of a stream for each of thousands of directories. False when there is no
/// place for all of them.
Result<bool> read_names(int directory, Bytes& buffer, Place place, std::vector<std::string>& names) {
  names.clear();
  std::size_t bytes = 0;
  while (true) {
    auto got = ::syscall(SYS_getdents64, directory, buffer.data(), buffer.size());
    if (got < 0 && errno == ENOENT) return true;  // it was removed meanwhile
    if (got < 0) return Error::from_errno(errno, "list a directory");
    if (got == 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto* record = buffer.data() + at;
      std::uint16_t length = 0;
      std::memcpy(&length, record + offsetof(dirent64, d_reclen), sizeof length);
      const char* name = reinterpret_cast<const char*>(record) + offsetof(dirent64, d_name);
      at += length;
      if (name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0))) continue;
      names.emplace_back(name);
      bytes += names.back().size();
      if (names.size() > place.entries || bytes > place.names) return false;
    }
  }
  std::sort(names.begin(), names.end());
  return true;
}

class Scanner {
 public:
  Scanner(const State& previous, Store& store, PackWriter& pack, const ScanRules& rules)
      : previous_(previous), rules_(rules), contents_(store, pack, rules), buffer_(64U << 10) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    racy_after_ = now.tv_sec - rules.racy_seconds;
  }

  Result<Scan> run(os::Fd workspace) {
    auto top = TRY(workspace.duplicate());
    auto descent = TRY(Descent::begin(std::move(workspace), Descent::For::reading));
    auto walked = walk(descent);
    descent.abandon();
    TRY(std::move(walked));
    TRY(descent.leave());
    TRY(save_large(top.get()));
    label_links();
    TRY(make_listings());
    tell_unsaved();
    scan_.large = std::move(contents_.added());
    return std::move(scan_);
  }

 private:
  struct Level {
    std::uint32_t directory;
    std::uint32_t next;  ///< of its entries, to be walked into
  };
  struct Linked {
    std::uint32_t directory;
    std::uint32_t entry;
    dev_t device;
  };
  struct Deferred {
    std::uint32_t directory;
    std::uint32_t entry;
  };

  State& state() { return scan_.state; }

  Result<void> walk(Descent& descent) {
    state().entries.emplace_back();
    if (!TRY(begin_directory(descent, 0, kNone, previous_.empty() ? kNone : 0)))
      return Error(ErrorCode::limit_exceeded, "the workspace has more entries than can be saved");
    while (!levels_.empty()) {
      auto& level = levels_.back();
      const auto& directory = state().directories[level.directory];
      while (level.next < directory.first + directory.count && !is_walked(state().entries[level.next]))
        ++level.next;
      if (level.next == directory.first + directory.count) {
        levels_.pop_back();
        if (!levels_.empty()) TRY(descent.leave());
        continue;
      }
      auto number = level.next++;
      std::string name(state().name(state().entries[number]));
      auto entered = descent.enter(name);
      if (!entered) {
        leave_out(number, entered.error().system_errno() == EXDEV ? Reason::mounted : Reason::unreadable);
        continue;
      }
      auto parent = level.directory;
      if (TRY(begin_directory(descent, number, parent, previous_child(parent, name)))) continue;
      leave_out(number, Reason::too_many);
      TRY(descent.leave());
    }
    return {};
  }

  void leave_out(std::uint32_t number, Reason reason) {
    auto& entry = state().entries[number];
    entry.storage = Storage::unsaved;
    entry.reason = reason;
  }

  static bool is_walked(const Entry& entry) { return entry.is_directory(); }

  /// The directory of the previous scan that stands for the one of that name.
  std::uint32_t previous_child(std::uint32_t directory, std::string_view name) {
    auto before = matches_[directory];
    if (before == kNone) return kNone;
    auto found = previous_.find(before, name);
    return found == kNone ? kNone : previous_.entries[found].child;
  }

  /// Reads the directory that was just entered: its own status, and all its entries; false, and nothing of
  /// it, when these are too many.
  Result<bool> begin_directory(Descent& descent, std::uint32_t own, std::uint32_t parent,
                               std::uint32_t before) {
    Place place{.entries = rules_.most_entries - std::min(rules_.most_entries, state().entries.size()),
                .names = rules_.most_names - std::min(rules_.most_names, name_bytes_)};
    if (!TRY(read_names(descent.here(), buffer_, place, names_))) return false;
    auto number = static_cast<std::uint32_t>(state().directories.size());
    set_status(descent.status(), state().entries[own]);
    state().entries[own].child = number;
    take_attributes(descent, own, before);
    if (number == 0) std::erase(names_, rules_.passed_over);
    Directory directory{
        .first = static_cast<std::uint32_t>(state().entries.size()), .entry = own, .parent = parent};
    matches_.push_back(before);
    state().directories.push_back(directory);
    auto at = before == kNone ? 0 : previous_.directories[before].first;
    auto end = before == kNone ? 0 : at + previous_.directories[before].count;
    for (const auto& name : names_) {
      while (at < end && previous_.name(previous_.entries[at]) < name)
        ++at;
      bool known = at < end && previous_.name(previous_.entries[at]) == name;
      TRY(add_entry(descent.here(), number, name, known ? &previous_.entries[at] : nullptr));
    }
    state().directories[number].count = static_cast<std::uint32_t>(state().entries.size()) - directory.first;
    levels_.push_back({.directory = number, .next = directory.first});
    return true;
  }

  void take_attributes(const Descent& descent, std::uint32_t own, std::uint32_t before) {
    auto& entry = state().entries[own];
    note_racy(entry);
    const Entry* known = before == kNone ? nullptr : &previous_.entries[previous_.directories[before].entry];
    bool same = known != nullptr && known->changed == entry.changed && known->inode == entry.inode &&
                known->racy == 0;
    if (same) entry.racy = 0;
    set_attributes(entry, same ? std::string(previous_.attributes(*known)) : read_attributes(descent.here()));
  }

  /// A jar can give every file some: they are bounded, and what is beyond must not cost the rest.
  void set_attributes(Entry& entry, std::string_view attributes) {
    bool fits = attributes.size() <= rules_.most_attributes - attribute_bytes_;
    if (!fits) {
      ++scan_.dropped;
      attributes = {};
    }
    attribute_bytes_ += attributes.size();
    entry.attributes_size = static_cast<std::uint32_t>(attributes.size());
    entry.attributes_at = attributes.empty() ? 0 : state().add_text(attributes);
  }

  void note_racy(Entry& entry) const { entry.racy = entry.changed.seconds >= racy_after_ ? 1 : 0; }

  static bool is_unchanged(const Entry& now, const Entry& before) {
    return before.racy == 0 && now.changed == before.changed && now.modified == before.modified &&
           now.inode == before.inode && now.mode == before.mode && now.size == before.size &&
           now.user == before.user && now.group == before.group && before.reason != Reason::no_room &&
           before.reason != Reason::unreadable;
  }

  Result<void> add_entry(int directory, std::uint32_t number, const std::string& name, const Entry* before) {
    struct stat status {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) < 0) return {};  // gone meanwhile
    Entry entry;
    set_status(status, entry);
    bool has_content = entry.is_file() || entry.is_symlink();
    std::string attributes;
    bool deferred = false;
    if (has_content && before != nullptr && is_unchanged(entry, *before)) {
      entry.content = before->content;
      entry.storage = before->storage;
      entry.reason = before->reason;
      attributes = previous_.attributes(*before);
    } else if (has_content) {
      auto taken = TRY(contents_.take(directory, name, entry));
      if (!taken.there) return {};
      ++scan_.read;
      note_racy(entry);
      deferred = taken.deferred;
      attributes = std::move(taken.attributes);
      if (before != nullptr && has_same_content(entry, *before)) ++scan_.settled;
    }
    entry.name_size = static_cast<std::uint32_t>(name.size());
    entry.name_at = state().add_text(name);
    name_bytes_ += name.size();
    set_attributes(entry, attributes);
    auto at = static_cast<std::uint32_t>(state().entries.size());
    if (deferred) deferred_.push_back({number, at});
    if (status.st_nlink > 1 && !entry.is_directory()) linked_.push_back({number, at, status.st_dev});
    state().entries.push_back(entry);
    if (rules_.progress && at % 512 == 0) rules_.progress({at, contents_.bytes()});
    return {};
  }

  /// The smaller first: a jar that fills the room with something huge must not keep the rest from being
  /// saved.
  Result<void> save_large(int workspace) {
    std::sort(deferred_.begin(), deferred_.end(), [this](const Deferred& a, const Deferred& b) {
      return state().entries[a.entry].size < state().entries[b.entry].size;
    });
    for (const auto& one : deferred_) {
      auto& entry = state().entries[one.entry];
      auto path = state().path_within(one.directory, entry, PATH_MAX - 1);
      TRY(contents_.save_large(workspace, path, entry));
      note_racy(entry);
      if (rules_.progress) rules_.progress({state().entries.size(), contents_.bytes()});
    }
    return {};
  }

  /// A hash that stands for the path of an entry, given that of its directory's.
  ObjectId extend(const ObjectId& directory, const Entry& entry) {
    Hasher hasher;
    hasher.add(BytesView(directory.bytes));
    hasher.add(state().name(entry));
    return hasher.finish();
  }

  /// For each directory the hash of its path: the paths themselves can be of any length.
  std::vector<ObjectId> name_paths() {
    std::vector<ObjectId> paths(state().directories.size());
    for (std::uint32_t number = 1; number < paths.size(); ++number) {
      const auto& directory = state().directories[number];
      paths[number] = extend(paths[directory.parent], state().entries[directory.entry]);
    }
    return paths;
  }

  /// Hard links are told by the path of the first: inode numbers can't be brought back.
  void label_links() {
    std::map<std::pair<dev_t, std::uint64_t>, std::vector<const Linked*>> groups;
    if (linked_.empty()) return;
    auto paths = name_paths();
    for (const auto& one : linked_)
      groups[{one.device, state().entries[one.entry].inode}].push_back(&one);
    for (const auto& [file, members] : groups) {
      if (members.size() < 2) continue;
      auto label = extend(paths[members[0]->directory], state().entries[members[0]->entry]);
      for (const auto* member : members)
        std::memcpy(&state().entries[member->entry].link, label.bytes.data(), sizeof(std::uint64_t));
    }
  }

  bool is_same_directory(std::uint32_t number) {
    auto before = matches_[number];
    if (before == kNone || previous_.directories[before].count != state().directories[number].count)
      return false;
    auto now_at = state().directories[number].first;
    auto before_at = previous_.directories[before].first;
    for (std::uint32_t n = 0; n < state().directories[number].count; ++n) {
      const auto& now = state().entries[now_at + n];
      const auto& then = previous_.entries[before_at + n];
      if (state().name(now) != previous_.name(then) || !is_same_entry(state(), now, previous_, then))
        return false;
      if ((now.child == kNone) != (then.child == kNone)) return false;
      if (now.child != kNone &&
          state().directories[now.child].listing != previous_.directories[then.child].listing)
        return false;
    }
    return true;
  }

  /// From the last to the first: a directory's number is larger than its parent's.
  Result<void> make_listings() {
    for (auto number = static_cast<std::uint32_t>(state().directories.size()); number-- > 0;) {
      auto& directory = state().directories[number];
      if (is_same_directory(number)) {
        directory.listing = previous_.directories[matches_[number]].listing;
        directory.tree = previous_.directories[matches_[number]].tree;
      } else {
        directory.listing =
            TRY(contents_.put(ObjectType::blob, encode_listing(state(), directory.first, directory.count)));
        directory.tree =
            TRY(contents_.put(ObjectType::tree, encode_tree(state(), directory, directory.listing)));
      }
      state().entries[directory.entry].content = directory.listing;
    }
    // The workspace's own entry goes by a name here; a listing has no entry without.
    auto& own = state().entries[0];
    own.name_at = state().add_text("workspace");
    own.name_size = 9;
    auto top = encode_listing(state(), 0, 1);
    own.name_size = 0;
    state().text.resize(own.name_at);
    own.name_at = 0;
    scan_.top = id_of(ObjectType::blob, top);
    top_ = std::move(top);
    return {};
  }

  void tell_unsaved() {
    for (std::uint32_t number = 0; number < state().directories.size(); ++number) {
      const auto& directory = state().directories[number];
      for (auto n = directory.first; n < directory.first + directory.count; ++n) {
        const auto& entry = state().entries[n];
        if (entry.storage != Storage::unsaved) continue;
        bool told = scan_.unsaved.size() < kMostTold;
        scan_.unsaved.push_back({told ? state().shown_path(number, entry) : "", entry.reason, entry.size});
      }
    }
  }

 public:
  /// Only of use when there is to be a checkpoint.
  Result<void> put_top(Scan& scan) {
    TRY(contents_.put(ObjectType::blob, top_));
    scan.top_tree =
        TRY(contents_.put(ObjectType::tree, encode_top_tree(scan.top, scan.state.directories[0].tree)));
    return {};
  }

 private:
  const State& previous_;
  const ScanRules& rules_;
  Contents contents_;
  Bytes buffer_;
  Bytes top_;
  std::vector<std::string> names_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> matches_;  ///< for each directory, the previous scan's
  std::vector<Linked> linked_;
  std::vector<Deferred> deferred_;
  std::int64_t racy_after_ = 0;
  std::size_t name_bytes_ = 0;
  std::size_t attribute_bytes_ = 0;
  Scan scan_;
};

}  // namespace

Result<Scan> scan(os::Fd workspace, const State& previous, const ObjectId& previous_top, Store& store,
                  PackWriter& pack, const ScanRules& rules) {
  Scanner scanner(previous, store, pack, rules);
  auto result = TRY(scanner.run(std::move(workspace)));
  if (result.top != previous_top) TRY(scanner.put_top(result));
  return result;
}

std::string_view describe(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "saved";
    case Reason::ignored:
      return "large, and ignored by git";
    case Reason::no_room:
      return "no room for it ([undo] size)";
    case Reason::unreadable:
      return "can't be read";
    case Reason::mounted:
      return "another file system is mounted there";
    case Reason::too_many:
      return "a directory with too many entries";
  }
  return "unknown";
}

}  // namespace belljar::undo
