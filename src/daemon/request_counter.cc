#include "daemon/request_counter.h"

#include <cerrno>
#include <set>

#include <sys/stat.h>

#include "rt/deadline.h"

namespace belljar::daemon {

namespace {

constexpr std::uint64_t kPiece = 2000;  // rows

std::uint64_t inode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

/// Names asked of the resolver are no requests, and the end of an exchange was counted at its beginning.
void add(const ledger::Event& event, RequestCount& count) {
  bool counts = event.kind == ledger::Kind::request || event.kind == ledger::Kind::connection;
  if (!counts) return;
  if (event.verdict == "allow")
    ++count.allowed;
  else
    ++count.denied;
}

}  // namespace

Result<RequestCounter> RequestCounter::open(const std::string& ledger_directory) {
  auto store = TRY(ledger::Store::open(ledger_directory));
  (void)TRY(store.list({.limit = 1}));  // SQLite opens what belongs to it at the first reading
  auto path = ledger_directory + "/ledger.db";
  auto file = inode_of(path);
  return RequestCounter(std::move(store), std::move(path), file);
}

Result<void> RequestCounter::find_place(Registry& registry, std::map<std::string, RegistryEntry>& entries) {
  if (!through_) through_ = registry.counted_through().value_or(0);
  auto last = TRY(store_.list({.limit = 1}));
  auto end = last.empty() ? 0 : last.back().sequence;
  if (*through_ <= end) return {};
  through_ = 0;
  for (auto& [name, entry] : entries)
    entry.requests = {};
  return {};
}

Result<bool> RequestCounter::count(Registry& registry, std::map<std::string, RegistryEntry>& entries,
                                   rt::Duration budget) {
  constexpr std::int64_t kMicroseconds = 1'000'000;
  if (inode_of(path_) != file_) return Error(ErrorCode::closed, "the ledger is another one by now");
  auto deadline = rt::Deadline::after(budget);
  TRY(find_place(registry, entries));
  auto before = *through_;
  std::set<std::string> changed;
  bool complete = false;
  while (!complete) {
    auto rows = TRY(store_.list({.after = *through_, .limit = kPiece, .from_start = true}));
    for (const auto& row : rows) {
      through_ = row.sequence;
      auto entry = entries.find(row.jar);
      if (entry == entries.end() || row.time < entry->second.created * kMicroseconds) continue;
      add(row.event, entry->second.requests);
      changed.insert(row.jar);
    }
    complete = rows.size() < kPiece;
    if (!complete && deadline.passed()) break;
  }
  if (*through_ == before) return complete;
  std::vector<RegistryEntry> to_write;
  for (const auto& name : changed)
    to_write.push_back(entries.at(name));
  TRY(registry.put_counts(to_write, *through_));
  return complete;
}

}  // namespace belljar::daemon
