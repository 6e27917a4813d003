#include "undo/sweep.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <map>
#include <unordered_set>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fork.h"
#include "undo/large_files.h"
#include "undo/listing.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kManyPacks = 16;
constexpr int kIdlePriority = 3 << 13;  // ioprio_set(2): the class that waits for all others

using Ids = std::unordered_set<ObjectId, ObjectIdHash>;

/// What a set of checkpoints needs.
class Reachable {
 public:
  Reachable(Store& store, const std::vector<Pack>& packs) : store_(store), packs_(packs) {}

  /// Adds all of a checkpoint; the bytes that it needs beyond what was there.
  Result<std::uint64_t> add(const Checkpoint& checkpoint) {
    bytes_ = 0;
    TRY(add_commit(checkpoint));
    auto top = TRY(read_listing(checkpoint.top));
    std::vector<ObjectId> waiting;
    TRY(add_entries(top, waiting));
    while (!waiting.empty()) {
      auto id = waiting.back();
      waiting.pop_back();
      if (objects.contains(id)) continue;
      auto listing = TRY(read_listing(id));
      TRY(add_entries(listing, waiting));
    }
    return bytes_;
  }

  Ids objects;
  Ids large;

 private:
  /// The commit and all trees below it, which are never needed but by git.
  Result<void> add_commit(const Checkpoint& checkpoint) {
    auto text = TRY(os::read_file(store_.reference(checkpoint.number), 4096));
    auto id = TRY(ObjectId::parse(std::string_view(text).substr(0, 64)));
    add_object(id);
    auto commit = TRY(store_.read(id, ObjectType::commit));
    std::vector<ObjectId> waiting{TRY(ObjectId::parse(as_text(commit.content).substr(5, 64)))};
    while (!waiting.empty()) {
      auto tree = waiting.back();
      waiting.pop_back();
      if (!add_object(tree)) continue;
      auto object = TRY(store_.read(tree, ObjectType::tree));
      add_subtrees(as_text(object.content), waiting);
    }
    return {};
  }

  static void add_subtrees(std::string_view tree, std::vector<ObjectId>& waiting) {
    while (!tree.empty()) {
      auto end = tree.find('\0');
      if (end == std::string_view::npos || tree.size() - end - 1 < 32) return;
      ObjectId id;
      std::memcpy(id.bytes.data(), tree.data() + end + 1, 32);
      if (tree.starts_with("40000 ")) waiting.push_back(id);
      tree.remove_prefix(end + 33);
    }
  }

  Result<State> read_listing(const ObjectId& id) {
    State state;
    auto object = TRY(store_.read(id, ObjectType::blob));
    TRY(decode_listing(object.content, state));
    add_object(id);
    return state;
  }

  Result<void> add_entries(const State& state, std::vector<ObjectId>& waiting) {
    for (const auto& entry : state.entries) {
      if (entry.storage == Storage::blob) add_object(entry.content);
      if (entry.storage == Storage::large && large.insert(entry.content).second) {
        struct stat status {};
        auto path = LargeFiles(store_.large_directory()).path(entry.content);
        if (::lstat(path.c_str(), &status) == 0) bytes_ += static_cast<std::uint64_t>(status.st_blocks) * 512;
      }
      if (entry.is_directory() && entry.storage == Storage::nothing) waiting.push_back(entry.content);
    }
    return {};
  }

  bool add_object(const ObjectId& id) {
    if (!objects.insert(id).second) return false;
    for (const auto& pack : packs_)
      if (auto number = pack.index().find(id)) {
        auto packed = pack.packed(*number);
        if (packed) bytes_ += packed->bytes.size();
        break;
      }
    return true;
  }

  Store& store_;
  const std::vector<Pack>& packs_;
  std::uint64_t bytes_ = 0;
};

/// Which checkpoints stay, for their age. The newest, and the one that an undo goes to, always do.
std::vector<Checkpoint> young_ones(const Store& store, std::vector<Checkpoint> all, const Bounds& bounds) {
  auto oldest = static_cast<std::int64_t>(std::time(nullptr)) - bounds.keep;
  auto newest = all.empty() ? 0 : all.back().number;
  auto started = store.last_start().value_or(0);
  std::erase_if(all, [&](const Checkpoint& one) {
    return one.stood < oldest && one.number != newest && one.number != started;
  });
  return all;
}

struct Plan {
  std::vector<std::uint64_t> numbers;    ///< all that there were when it was made
  std::optional<std::uint64_t> started;  ///< likewise
  std::vector<std::uint64_t> dropped;
  std::vector<std::string> packs;  ///< to be replaced by one, without what nobody needs
  std::vector<std::string> large;  ///< names of files to be deleted
};

Result<std::vector<std::uint64_t>> choose_dropped(Store& store, const Bounds& bounds, Reachable& reachable) {
  auto all = TRY(store.list());
  auto young = young_ones(store, all, bounds);
  std::vector<std::uint64_t> kept;
  std::uint64_t bytes = 0;
  auto started = store.last_start().value_or(0);
  for (auto one = young.rbegin(); one != young.rend(); ++one) {
    // What it needs can't be told: nothing may be deleted as long as it is there.
    if (!one->damage.empty()) return Error(ErrorCode::malformed, one->damage);
    bool wanted = one == young.rbegin() || one->number == started;
    if (bytes > bounds.size && !wanted) continue;
    Reachable probe = reachable;
    auto more = TRY(probe.add(*one));
    if (bytes + more > bounds.size && !wanted) {
      bytes = bounds.size + 1;  // older ones don't stay where a younger one can't
      continue;
    }
    bytes += more;
    reachable.objects = std::move(probe.objects);
    reachable.large = std::move(probe.large);
    kept.push_back(one->number);
  }
  std::vector<std::uint64_t> dropped;
  for (const auto& one : all)
    if (std::find(kept.begin(), kept.end(), one.number) == kept.end()) dropped.push_back(one.number);
  return dropped;
}

/// Packs of which a quarter is needed by nobody; and all small ones when there are many.
std::vector<const Pack*> choose_packs(const std::vector<Pack>& packs, const Ids& needed) {
  std::vector<const Pack*> chosen;
  auto median = [&] {
    std::vector<std::uint64_t> sizes;
    for (const auto& pack : packs)
      sizes.push_back(pack.size());
    std::sort(sizes.begin(), sizes.end());
    return sizes.empty() ? 0 : sizes[sizes.size() * 3 / 4];
  }();
  for (const auto& pack : packs) {
    std::uint64_t dead = 0;
    for (std::size_t n = 0; n < pack.index().count(); ++n)
      if (!needed.contains(pack.index().id(n))) {
        auto packed = pack.packed(n);
        if (packed) dead += packed->bytes.size();
      }
    bool small = packs.size() > kManyPacks && pack.size() <= median;
    if (dead > pack.size() / 4 || small) chosen.push_back(&pack);
  }
  return chosen;
}

Result<void> copy_needed(const std::vector<const Pack*>& packs, const Ids& needed, PackWriter& into) {
  for (const auto* pack : packs)
    for (std::size_t n = 0; n < pack->index().count(); ++n) {
      if (!needed.contains(pack->index().id(n))) continue;
      (void)TRY(pack->read(n));  // a damaged one is not carried on as if it were whole
      auto packed = TRY(pack->packed(n));
      TRY(into.add(packed));
    }
  return into.sync();
}

/// What a crash left: packs without an index, files that were never renamed.
void remove_leftovers(const Store& store, const std::string& ours) {
  auto names = names_in(store.pack_directory());
  if (!names) return;
  for (const auto& name : *names) {
    auto path = store.pack_directory() + "/" + name;
    if (!name.ends_with(".pack") || path == ours) continue;
    auto index = path.substr(0, path.size() - 5) + ".idx";
    if (::access(index.c_str(), F_OK) < 0) ::unlink(path.c_str());
  }
  ::unlink((store.large_directory() + "/new").c_str());
}

/// With the lock again: only if nobody has changed anything meanwhile.
Result<void> carry_out(const std::string& jar_directory, const Plan& plan, PackWriter& pack) {
  auto store = TRY(Store::open(jar_directory));
  if (TRY(store.numbers()) != plan.numbers || store.last_start() != plan.started) return {};
  TRY(pack.finish());
  if (!pack.empty())
    for (const auto& path : {pack.pack_path(), pack.index_path(), store.pack_directory()}) {
      auto file = TRY(os::open_file(path, O_RDONLY));
      if (::fsync(file.get()) < 0) return Error::from_errno(errno, "sync " + path);
    }
  for (auto number : plan.dropped)
    TRY(store.drop(number));
  for (const auto& path : plan.packs)
    for (const char* part : {".idx", ".pack"})
      ::unlink((path + part).c_str());
  for (const auto& name : plan.large)
    ::unlink((store.large_directory() + "/" + name).c_str());
  remove_leftovers(store, pack.pack_path());
  return {};
}

std::vector<std::string> unneeded_large(const Store& store, const Ids& needed) {
  std::vector<std::string> names;
  if (auto all = names_in(store.large_directory()))
    for (const auto& name : *all) {
      auto id = ObjectId::parse(name);
      if (id && !needed.contains(*id)) names.push_back(name);
    }
  return names;
}

}  // namespace

Result<bool> is_sweep_due(const Store& store, const Bounds& bounds) {
  auto numbers = TRY(store.numbers());
  if (numbers.size() < 2) return false;
  struct stat oldest {};
  bool old = ::lstat(store.reference(numbers.front()).c_str(), &oldest) == 0 &&
             oldest.st_mtime < std::time(nullptr) - bounds.keep && numbers.front() != store.last_start();
  auto packs = TRY(names_in(store.pack_directory()));
  return old || packs.size() > 2 * kManyPacks || TRY(store.size()) > bounds.size;
}

Result<void> sweep(const std::string& jar_directory, const Bounds& bounds) {
  auto guard = TRY(os::open_file(jar_directory + "/undo", O_RDONLY | O_DIRECTORY));
  if (::flock(guard.get(), LOCK_EX | LOCK_NB) < 0) return {};
  Plan plan;
  std::optional<PackWriter> pack;
  std::optional<Store> unlocked;
  {
    auto store = TRY(Store::open(jar_directory));
    plan.numbers = TRY(store.numbers());
    plan.started = store.last_start();
    pack.emplace(TRY(store.new_pack('s')));
    (void)TRY(store.packs());
    store.unlock();
    unlocked.emplace(std::move(store));
  }
  const auto& packs = *TRY(unlocked->packs());
  Reachable reachable(*unlocked, packs);
  plan.dropped = TRY(choose_dropped(*unlocked, bounds, reachable));
  auto chosen = choose_packs(packs, reachable.objects);
  for (const auto* one : chosen)
    plan.packs.push_back(one->path());
  plan.large = unneeded_large(*unlocked, reachable.large);
  TRY(copy_needed(chosen, reachable.objects, *pack));
  return carry_out(jar_directory, plan, *pack);
}

Result<void> sweep_in_background(const std::string& jar_directory, const Bounds& bounds) {
  auto child = TRY(os::fork_process(os::Lifetime::own, [&]() -> int {
    os::close_all_but(-1);
    ::setsid();
    ::setpriority(PRIO_PROCESS, 0, 19);
    ::syscall(SYS_ioprio_set, 1, 0, kIdlePriority);
    return sweep(jar_directory, bounds) ? 0 : 1;
  }));
  child.abandon();
  return {};
}

}  // namespace belljar::undo
