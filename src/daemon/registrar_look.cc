// What there is: the jars' directories and locks, and the connections to those that run.
#include <algorithm>

#include "base/log.h"
#include "daemon/registrar.h"
#include "keeper/socket.h"

namespace belljar::daemon {

namespace {

/// For the broker to connect.
constexpr auto kConnecting = std::chrono::seconds(2);
constexpr std::size_t kMaxGeneration = 128;

}  // namespace

Result<void> Registrar::look() {
  look_wanted_ = false;
  records_ = TRY(parts_.jars.list());
  std::set<std::string> names;
  for (const auto& record : std::vector(records_)) {  // others look anew while this one waits for room
    names.insert(record.name);
    note_record(record);
    if (record.running) begin_watching(record.name);
  }
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (names.contains(entry->first)) {
      ++entry;
      continue;
    }
    if (auto removed = parts_.registry.remove(entry->first); !removed)
      add_note("belljard's registry: " + removed.error().to_string());
    entry = entries_.erase(entry);
  }
  return {};
}

/// Into the registry, where it has changed.
void Registrar::note_record(const keeper::JarRecord& record) {
  auto directory = parts_.jars_directory + "/" + record.name;
  auto& known = entries_[record.name];
  RegistryEntry now{.name = record.name,
                    .workspace = record.workspace,
                    .agent = record.agent,
                    .created = record.created,
                    .started = record.started,
                    .ended = record.running ? known.ended : keeper::read_end(directory),
                    .generation = os::read_file(directory + "/generation", kMaxGeneration).value_or(""),
                    .requests = known.created == record.created ? known.requests : RequestCount{}};
  if (record.damaged && known.created != 0) {  // what its record said is known here
    now.workspace = known.workspace;
    now.agent = known.agent;
    now.created = known.created;
    now.requests = known.requests;
  }
  if (now != known) {
    known = std::move(now);
    if (auto put = parts_.registry.put(known); !put)
      add_note("belljard's registry: " + put.error().to_string());
  }
  bool killed = !record.running && keeper::has_socket(directory);
  if (!killed)
    cleared_.erase(record.name);
  else if (cleared_.insert(record.name).second)
    order(Order::Kind::clear, record.name);
}

void Registrar::order(Order::Kind kind, const std::string& jar) {
  // A broker that does not read is at its end, and then so is this.
  (void)parts_.broker.send(encode(Order{kind, jar}), {}, rt::Deadline::after(kConnecting));
}

void Registrar::begin_watching(const std::string& jar) {
  auto refused = unwatchable_.find(jar);
  if (refused != unwatchable_.end() && refused->second == entries_[jar].started) return;
  auto [place, is_new] = watched_.try_emplace(jar, nullptr);
  if (!is_new) return;
  place->second = std::make_shared<Watched>();
  watches_.start([this, jar, watched = place->second]() -> Result<void> {
    auto ended = watch(jar, *watched);
    bool was_connected = watched->is_connected();
    watched_.erase(jar);
    ++ends_;
    heard_.wake_all();
    if (!ended && ended.error().code() != ErrorCode::cancelled && was_connected) {
      log::warning("jar {}: {}", jar, ended.error().to_string());
      unwatchable_[jar] = entries_[jar].started;
    }
    if (was_connected) look_soon();
    return {};
  });
}

/// To the end of the connection.
Result<void> Registrar::watch(const std::string& jar, Watched& watched) {
  auto socket = TRY(ask_for_keeper(jar));
  TRY(watched.begin(std::move(socket)));
  heard_.wake_all();
  while (TRY(watched.hear()))
    heard_.wake_all();
  return {};
}

/// not_found when none listens: the jar is just starting or ending, or its lock is held by a command.
Result<os::Fd> Registrar::ask_for_keeper(const std::string& jar) {
  auto pending = pending_[jar] = std::make_shared<Pending>();
  order(Order::Kind::connect, jar);
  auto waited = pending->done.wait(rt::Deadline::after(kConnecting));
  pending_.erase(jar);
  TRY(std::move(waited));
  if (!pending->socket) return Error(ErrorCode::not_found, "no keeper listens");
  return std::move(pending->socket);
}

}  // namespace belljar::daemon
