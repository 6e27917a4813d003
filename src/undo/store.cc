#include "undo/store.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fork.h"
#include "undo/listing.h"

namespace belljar::undo {

namespace {

constexpr int kPatience = 200;  // attempts of five milliseconds before somebody is told
constexpr std::size_t kMaxSmallFile = 4096;
constexpr std::string_view kIndex = "/seen";  // git has an index of its own in a repository

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number == 0) return {};
  return number;
}

Result<void> write_small(const std::string& path, std::string_view text) {
  auto file = TRY(os::open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW));
  return os::write_all(file.get(), as_bytes(text)).context("writing " + path);
}

/// "listing 12ab…" among the lines of a commit.
std::string line_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    auto line = text.substr(at, end - at);
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ')
      return std::string(line.substr(key.size() + 1));
    at = end + 1;
  }
  return {};
}

bool sync_path(const std::string& path) {
  auto file = os::open_file(path, O_RDONLY | O_NOFOLLOW);
  return file && ::fsync(file->get()) == 0;
}

}  // namespace

Result<std::vector<std::string>> names_in(const std::string& directory) {
  std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), &::closedir);
  if (!stream) return Error::from_errno(errno, "list " + directory);
  std::vector<std::string> names;
  while (const auto* entry = ::readdir(stream.get())) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string boot_identity() {
  auto text = os::read_file("/proc/sys/kernel/random/boot_id", kMaxSmallFile);
  return text ? text->substr(0, 36) : std::string();
}

Result<Store> Store::open(const std::string& jar_directory, const std::function<void()>& when_waiting) {
  Store store(jar_directory + "/undo");
  struct stat status {};
  // Its lock is made last: without it the store is made once more.
  if (::lstat((store.directory_ + "/lock").c_str(), &status) < 0) TRY(store.make());
  TRY(store.lock(when_waiting));
  TRY(store.recover());
  return store;
}

Result<std::optional<Store>> Store::open_existing(const std::string& jar_directory,
                                                  const std::function<void()>& when_waiting) {
  struct stat status {};
  if (::lstat((jar_directory + "/undo/lock").c_str(), &status) < 0) return std::optional<Store>{};
  auto store = TRY(open(jar_directory, when_waiting));
  return std::optional<Store>(std::move(store));
}

Store::~Store() { unlock(); }

void Store::unlock() {
  if (lock_) ::flock(lock_.get(), LOCK_UN);  // a child may have a copy of the descriptor
  lock_.reset();
}

Result<void> Store::make() const {
  for (const char* part : {"", "/objects", "/objects/pack", "/refs", "/refs/checkpoints", "/large"}) {
    auto path = directory_ + part;
    if (::mkdir(path.c_str(), 0700) < 0 && errno != EEXIST) return Error::from_errno(errno, "mkdir " + path);
  }
  TRY(write_small(directory_ + "/HEAD", "ref: refs/heads/none\n"));
  TRY(write_small(
      directory_ + "/config",
      "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"));
  return write_small(directory_ + "/lock", "");
}

Result<void> Store::lock(const std::function<void()>& when_waiting) {
  lock_ = TRY(os::open_file(directory_ + "/lock", O_RDWR | O_NOFOLLOW));
  for (int attempt = 0; attempt < kPatience; ++attempt) {
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
    if (errno != EWOULDBLOCK && errno != EINTR) return Error::from_errno(errno, "lock " + directory_);
    ::usleep(5000);
  }
  if (when_waiting) when_waiting();
  while (::flock(lock_.get(), LOCK_EX) < 0)
    if (errno != EINTR) return Error::from_errno(errno, "lock " + directory_);
  return {};
}

/// The machine went down before all that the index names was on the disk: what is broken of it is set aside,
/// so that nothing relies on it.
Result<void> Store::recover() {
  auto file = os::open_file(directory_ + std::string(kIndex), O_RDONLY | O_NOFOLLOW);
  if (!file) return {};
  char head[kBootAt + kBootSize] = {};
  if (::pread(file->get(), head, sizeof head, 0) != sizeof head || head[kSettledAt] == 1) return {};
  if (std::string(head + kBootAt, strnlen(head + kBootAt, kBootSize)) == boot_identity()) return {};
  for (auto& pack : *TRY(packs()))
    if (!pack.is_whole()) damaged_packs_.push_back(pack.path());
  for (const auto& path : damaged_packs_)
    for (const char* part : {".idx", ".pack"})
      ::rename((path + part).c_str(), (path + part + ".damaged").c_str());
  forget_packs();
  ::unlink((directory_ + std::string(kIndex)).c_str());
  return {};
}

std::string Store::reference(std::uint64_t number) const {
  return fmt::format("{}/refs/checkpoints/{}", directory_, number);
}

Result<std::vector<std::uint64_t>> Store::numbers() const {
  std::vector<std::uint64_t> numbers;
  for (const auto& name : TRY(names_in(directory_ + "/refs/checkpoints")))
    if (auto number = parse_number(name)) numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Checkpoint Store::read_checkpoint(std::uint64_t number) {
  Checkpoint checkpoint{.number = number};
  auto read_it = [&]() -> Result<void> {
    auto path = reference(number);
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) checkpoint.stood = status.st_mtime;
    auto text = TRY(os::read_file(path, kMaxSmallFile));
    if (!text.empty() && text.back() == '\n') text.pop_back();
    auto id = TRY(ObjectId::parse(text));
    auto commit = TRY(read(id, ObjectType::commit));
    auto words = as_text(commit.content);
    checkpoint.top = TRY(ObjectId::parse(line_of(words, "listing")));
    checkpoint.why = line_of(words, "why");
    checkpoint.made = static_cast<std::int64_t>(parse_number(line_of(words, "made")).value_or(0));
    checkpoint.entries = parse_number(line_of(words, "entries")).value_or(0);
    checkpoint.unsaved = parse_number(line_of(words, "unsaved")).value_or(0);
    checkpoint.git.number = parse_number(line_of(words, "git-checkpoint")).value_or(0);
    if (checkpoint.git.number != 0) checkpoint.git.path = line_of(words, "git-directory");
    return {};
  };
  auto done = read_it();
  if (!done) checkpoint.damage = done.error().to_string();
  return checkpoint;
}

Result<std::vector<Checkpoint>> Store::list() {
  std::vector<Checkpoint> checkpoints;
  for (auto number : TRY(numbers()))
    checkpoints.push_back(read_checkpoint(number));
  return checkpoints;
}

Result<Checkpoint> Store::find(std::uint64_t number) {
  auto all = TRY(numbers());
  if (std::find(all.begin(), all.end(), number) == all.end())
    return Error(ErrorCode::not_found, fmt::format("there is no checkpoint {}", number))
        .with_hint("belljar undo --list");
  auto checkpoint = read_checkpoint(number);
  if (!checkpoint.damage.empty())
    return Error(ErrorCode::malformed,
                 fmt::format("checkpoint {} is damaged ({}); the others are not touched by that", number,
                             checkpoint.damage))
        .with_hint("belljar undo --list");
  return checkpoint;
}

Result<State> Store::load(const Checkpoint& checkpoint) {
  auto doing = fmt::format("reading checkpoint {}", checkpoint.number);
  State state;
  auto top = TRY(read(checkpoint.top, ObjectType::blob).context(doing));
  TRY(decode_listing(top.content, state).context(doing));
  if (state.entries.size() != 1 || !state.entries[0].is_directory() ||
      state.entries[0].storage != Storage::nothing)
    return Error(ErrorCode::malformed, "its top is no directory").context(doing);
  state.entries[0].name_size = 0;
  state.directories.push_back({.listing = state.entries[0].content});
  state.entries[0].child = 0;
  for (std::uint32_t number = 0; number < state.directories.size(); ++number) {
    auto listing = TRY(read(state.directories[number].listing, ObjectType::blob).context(doing));
    auto first = static_cast<std::uint32_t>(state.entries.size());
    TRY(decode_listing(listing.content, state).context(doing));
    auto end = static_cast<std::uint32_t>(state.entries.size());
    state.directories[number].first = first;
    state.directories[number].count = end - first;
    for (auto n = first; n < end; ++n) {
      auto& entry = state.entries[n];
      if (!entry.is_directory() || entry.storage != Storage::nothing) continue;
      entry.child = static_cast<std::uint32_t>(state.directories.size());
      state.directories.push_back({.entry = n, .parent = number, .listing = entry.content});
    }
  }
  return state;
}

std::optional<Index> Store::read_index() const {
  auto mapping = Mapping::open(directory_ + std::string(kIndex));
  if (!mapping) return {};
  auto index = decode_index(mapping->bytes());
  struct stat status {};
  if (!index || ::lstat(reference(index->checkpoint).c_str(), &status) < 0) return {};
  return std::move(*index);
}

Result<void> Store::write_index(const Index& index) const {
  auto path = directory_ + std::string(kIndex);
  auto temporary = path + ".new";
  auto file = TRY(os::open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW));
  auto written = os::write_all(file.get(), encode_index(index));
  if (written && ::rename(temporary.c_str(), path.c_str()) < 0)
    written = Error::from_errno(errno, "rename " + temporary);
  if (!written) ::unlink(temporary.c_str());
  return std::move(written).context("writing " + path);
}

Result<std::vector<Pack>*> Store::packs() {
  if (packs_) return &*packs_;
  packs_.emplace();
  for (const auto& name : TRY(names_in(pack_directory()))) {
    if (!name.ends_with(".idx")) continue;
    auto path = pack_directory() + "/" + name.substr(0, name.size() - 4);
    auto pack = Pack::open(path);
    if (pack)
      packs_->push_back(std::move(*pack));
    else
      damaged_packs_.push_back(path);
  }
  return &*packs_;
}

Result<bool> Store::has(const ObjectId& id) {
  for (const auto& pack : *TRY(packs()))
    if (pack.index().find(id)) return true;
  return false;
}

/// Where one copy is damaged another may be whole.
Result<Object> Store::read(const ObjectId& id, ObjectType type) {
  Error why(ErrorCode::not_found, "the store lacks " + id.to_text());
  for (const auto& pack : *TRY(packs())) {
    auto number = pack.index().find(id);
    if (!number) continue;
    auto object = pack.read(*number);
    if (object && object->type == type) return object;
    why = object ? Error(ErrorCode::malformed, id.to_text() + " is of another type")
                 : std::move(object).error();
  }
  return why;
}

Result<PackWriter> Store::new_pack(char kind) const {
  std::uint64_t last = 0;
  for (const auto& name : TRY(names_in(pack_directory()))) {
    // pack-c12.pack, pack-s13.idx, …
    auto digits = std::string_view(name).substr(std::min<std::size_t>(name.size(), 6));
    digits = digits.substr(0, digits.find('.'));
    last = std::max(last, parse_number(digits).value_or(0));
  }
  return PackWriter(fmt::format("{}/pack-{}{}", pack_directory(), kind, last + 1));
}

Result<Checkpoint> Store::add(Checkpoint wanted, const ObjectId& tree, PackWriter& pack) {
  auto all = TRY(numbers());
  wanted.number = all.empty() ? 1 : all.back() + 1;
  wanted.made = wanted.stood = static_cast<std::int64_t>(std::time(nullptr));
  auto commit = fmt::format(
      "tree {}\nauthor belljar <belljar> {} +0000\ncommitter belljar <belljar> {} +0000\n\n"
      "Checkpoint {}\n\nwhy {}\nmade {}\nlisting {}\nentries {}\nunsaved {}\n",
      tree.to_text(), wanted.made, wanted.made, wanted.number, wanted.why, wanted.made, wanted.top.to_text(),
      wanted.entries, wanted.unsaved);
  if (!wanted.git.path.empty())
    commit += fmt::format("git-checkpoint {}\ngit-directory {}\n", wanted.git.number, wanted.git.path);
  auto id = id_of(ObjectType::commit, as_bytes(commit));
  TRY(pack.add(id, ObjectType::commit, as_bytes(commit)));
  TRY(pack.finish());
  forget_packs();
  auto path = reference(wanted.number);
  auto written = write_small(path, id.to_text() + "\n");
  if (!written) {
    ::unlink(path.c_str());
    return std::move(written).error();
  }
  return wanted;
}

Result<void> Store::confirm(std::uint64_t number) const {
  auto path = reference(number);
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) < 0)
    return Error::from_errno(errno, "note the time of " + path);
  return {};
}

Result<void> Store::drop(std::uint64_t number) const {
  auto path = reference(number);
  if (::unlink(path.c_str()) < 0 && errno != ENOENT) return Error::from_errno(errno, "delete " + path);
  return {};
}

Result<void> Store::note_start(std::uint64_t number) const {
  if (last_start() == number) return {};
  return os::replace_file(directory_ + "/last-start", std::to_string(number) + "\n");
}

std::optional<std::uint64_t> Store::last_start() const {
  auto text = os::read_file(directory_ + "/last-start", kMaxSmallFile);
  if (!text) return {};
  return parse_number(std::string_view(*text).substr(0, text->find('\n')));
}

Result<std::uint64_t> Store::size() const {
  std::uint64_t size = 0;
  for (const auto& directory : {pack_directory(), large_directory()})
    for (const auto& name : TRY(names_in(directory))) {
      struct stat status {};
      if (::lstat((directory + "/" + name).c_str(), &status) == 0)
        size += static_cast<std::uint64_t>(status.st_blocks) * 512;
    }
  return size;
}

Result<void> Store::settle(const std::vector<std::string>& files) const {
  auto index = os::open_file(directory_ + std::string(kIndex), O_RDWR | O_NOFOLLOW);
  auto child = TRY(os::fork_unhurried(index ? index->get() : -1, [&]() -> int {
    bool done = std::all_of(files.begin(), files.end(), sync_path);
    for (const auto& directory : {pack_directory(), directory_ + "/refs/checkpoints"}) {
      auto names = names_in(directory);
      done = done && names && std::all_of(names->begin(), names->end(), [&](const auto& name) {
               return sync_path(directory + "/" + name);
             });
      done = done && sync_path(directory);
    }
    if (!done || !sync_path(large_directory()) || !sync_path(directory_) || !index) return 1;
    // What the index names is on the disk from here on.
    std::uint8_t settled = 1;
    if (::fsync(index->get()) < 0 || ::pwrite(index->get(), &settled, 1, static_cast<off_t>(kSettledAt)) != 1)
      return 1;
    return ::fsync(index->get()) == 0 ? 0 : 1;
  }));
  child.abandon();
  return {};
}

}  // namespace belljar::undo
