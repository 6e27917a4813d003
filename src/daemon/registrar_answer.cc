// What is said of the jars to who asks.
#include <algorithm>

#include <unistd.h>

#include "base/log.h"
#include "daemon/registrar.h"
#include "keeper/socket.h"

namespace belljar::daemon {

namespace {

/// For all keepers together to give their figures. One that is held up is then shown without.
constexpr auto kPatience = std::chrono::milliseconds(250);
constexpr auto kCounting = std::chrono::milliseconds(20);
/// A client that neither asks nor reads is not kept.
constexpr auto kClientPatience = std::chrono::seconds(10);

}  // namespace

Result<void> Registrar::serve(io::MessageSocket client) {
  auto send = [&client](const Answer& answer) {
    return client.send(encode(answer), {}, rt::Deadline::after(kClientPatience));
  };
  for (bool first = true;; first = false) {
    auto message = TRY(client.receive(rt::Deadline::after(kClientPatience)));
    if (!message) {
      if (first) look_soon();  // a keeper says so that its jar runs
      return {};
    }
    auto request = decode_request(message->bytes);
    if (!request) {
      TRY(send(answer::Failed{request.error().to_string()}));
      // Another belljar is installed by now: its own daemon takes this one's place.
      if (request.error().code() == ErrorCode::unsupported) done_.set();
      return std::move(request).error();
    }
    if (std::get_if<request::About>(&*request) != nullptr) {
      TRY(look());
      TRY(send(about()));
      continue;
    }
    for (const auto& jar : TRY(list()))
      TRY(send(jar));
    TRY(send(answer::End{std::exchange(untold_, {})}));
    if (parts_.program.is_replaced()) done_.set();  // the next one is of the build that is installed
  }
}

Result<std::vector<KnownJar>> Registrar::list() {
  TRY(look());
  auto ends = ends_;
  for (auto& [name, watched] : watched_)
    watched->ask();
  count_requests(kCounting);
  auto deadline = rt::Deadline::after(kPatience);
  while (is_any_awaited()) {
    auto waited = heard_.wait(deadline);
    if (!waited && waited.error().code() == ErrorCode::timed_out) break;
    TRY(std::move(waited));
  }
  if (ends != ends_) TRY(look());  // what has ended meanwhile is told as it is now
  std::vector<KnownJar> jars;
  for (const auto& record : records_)
    jars.push_back(describe(record));
  return jars;
}

bool Registrar::is_any_awaited() const {
  return std::any_of(watched_.begin(), watched_.end(), [](const auto& one) {
    return !one.second->is_connected() || one.second->is_awaited(kPatience);
  });
}

KnownJar Registrar::describe(const keeper::JarRecord& record) const {
  const auto& entry = entries_.at(record.name);
  KnownJar jar{.name = record.name,
               .workspace = record.workspace,
               .agent = record.agent,
               .created = record.created,
               .started = record.started,
               .ended = entry.ended,
               .generation = entry.generation,
               .running = record.running};
  if (parts_.counter) jar.requests = entry.requests;
  jar.requests_complete = counted_;
  if (!record.running) {
    jar.state = state_at_rest(record.damaged, keeper::has_socket(parts_.jars_directory + "/" + record.name),
                              record.started, entry.ended);
    return jar;
  }
  jar.state = "running";
  auto watched = watched_.find(record.name);
  if (watched == watched_.end() || !watched->second->is_connected()) return jar;
  jar.state = watched->second->state();
  jar.live = watched->second->figures();
  return jar;
}

answer::About Registrar::about() const {
  auto running = std::count_if(records_.begin(), records_.end(), [](const auto& jar) { return jar.running; });
  return {.process = static_cast<std::uint32_t>(::getppid()),
          .started = started_,
          .jars = static_cast<std::uint32_t>(records_.size()),
          .running = static_cast<std::uint32_t>(running),
          .registry = parts_.registry.description(),
          .notes = parts_.notes};
}

void Registrar::count_requests(rt::Duration budget) {
  if (!parts_.counter) return;
  auto counted = parts_.counter->count(parts_.registry, entries_, budget);
  if (counted) {
    counted_ = *counted;
    return;
  }
  log::warning("counting requests: {}", counted.error().to_string());
  parts_.counter.reset();
  // The next one opens the ledger that is there by then.
  if (counted.error().code() == ErrorCode::closed)
    done_.set();
  else
    add_note("requests can't be counted: " + counted.error().to_string());
}

void Registrar::add_note(const std::string& note) {
  log::warning("{}", note);
  if (parts_.notes.size() >= kMaxNotes ||
      std::find(parts_.notes.begin(), parts_.notes.end(), note) != parts_.notes.end())
    return;
  parts_.notes.push_back(note);
  untold_.push_back(note);
}

}  // namespace belljar::daemon
