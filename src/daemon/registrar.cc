#include "daemon/registrar.h"

#include <algorithm>
#include <ctime>

#include <sys/inotify.h>
#include <unistd.h>

#include "base/log.h"
#include "keeper/worker.h"
#include "rt/loop.h"

namespace belljar::daemon {

namespace {

constexpr std::size_t kMaxClients = 64;
/// Changes come in swarms: many jars that are started at once.
constexpr auto kSwarm = std::chrono::milliseconds(100);
/// Checkpoints age by days.
constexpr auto kFirstTending = std::chrono::seconds(30);
constexpr auto kTending = std::chrono::hours(6);

}  // namespace

ProgramFile ProgramFile::own() {
  ProgramFile program;
  auto path = keeper::own_program();
  if (path && ::stat(path->c_str(), &program.file_) == 0) program.path_ = std::move(*path);
  return program;
}

bool ProgramFile::is_replaced() const {
  struct stat now {};
  if (path_.empty() || ::stat(path_.c_str(), &now) < 0) return false;
  return now.st_ino != file_.st_ino || now.st_dev != file_.st_dev || now.st_mtime != file_.st_mtime;
}

Registrar::Registrar(Parts parts)
    : parts_(std::move(parts)), started_(std::time(nullptr)), last_active_(rt::now()) {
  if (!parts_.registry.problem().empty()) add_note(parts_.registry.problem());
  untold_ = parts_.notes;
}

Result<void> Registrar::run() {
  if (auto noted = parts_.registry.all())
    for (auto& entry : *noted)
      entries_.emplace(entry.name, entry);
  auto start = [this](auto body) {
    background_.start([this, body]() -> Result<void> {
      auto done = body();
      if (done || done.error().code() != ErrorCode::cancelled) done_.set();  // crash-only: begun anew
      if (!done) log::warning("{}", done.error().to_string());
      return {};
    });
  };
  TRY(look());
  start([this] { return hear_broker(); });
  start([this] { return watch_directory(); });
  start([this] { return look_when_asked(); });
  start([this] { return end_when_idle(); });
  start([this] { return order_tending(); });
  background_.start([this] { return count_in_background(); });
  TRY(done_.wait(rt::Deadline::never()));
  return {};
}

Result<void> Registrar::hear_broker() {
  while (auto message = TRY(parts_.broker.receive(rt::Deadline::never()))) {
    auto delivery = TRY(decode_delivery(message->bytes));
    auto socket = message->fds.empty() ? os::Fd() : std::move(message->fds.front());
    if (delivery.kind != Delivery::Kind::client) {
      auto pending = pending_.find(delivery.jar);
      if (pending == pending_.end()) continue;
      pending->second->socket = std::move(socket);
      pending->second->done.set();
      continue;
    }
    if (!socket || clients_.size() >= kMaxClients) continue;
    auto client = TRY(io::MessageSocket::open(std::move(socket)));
    clients_.start([this, held = std::make_shared<io::MessageSocket>(std::move(client))]() -> Result<void> {
      auto served = serve(std::move(*held));
      if (!served && served.error().code() != ErrorCode::cancelled)
        log::info("a client: {}", served.error().to_string());
      last_active_ = rt::now();
      return {};
    });
  }
  return {};
}

/// Jars that come, go and change their names.
Result<void> Registrar::watch_directory() {
  alignas(inotify_event) char buffer[4096];
  while (true) {
    TRY(rt::await_readable(parts_.changes.get(), rt::Deadline::never()));
    auto count = ::read(parts_.changes.get(), buffer, sizeof buffer);
    for (ssize_t at = 0; at < count;) {
      inotify_event event{};
      std::copy_n(buffer + at, sizeof event, reinterpret_cast<char*>(&event));
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0) return {};
    }
    look_soon();
  }
}

void Registrar::look_soon() {
  look_wanted_ = true;
  look_.wake_all();
}

Result<void> Registrar::look_when_asked() {
  while (true) {
    while (!look_wanted_)
      TRY(look_.wait(rt::Deadline::never()));
    TRY(rt::sleep(kSwarm));
    TRY(look());
  }
}

Result<void> Registrar::end_when_idle() {
  while (true) {
    TRY(rt::sleep(std::max<rt::Duration>(last_active_ + parts_.idle - rt::now(), kSwarm)));
    TRY(look());
    bool runs = std::any_of(records_.begin(), records_.end(), [](const auto& jar) { return jar.running; });
    if (runs || clients_.size() > 0)
      last_active_ = rt::now();
    else if (rt::now() - last_active_ >= parts_.idle)
      return {};
  }
}

Result<void> Registrar::order_tending() {
  TRY(rt::sleep(kFirstTending));
  while (true) {
    for (const auto& record : std::vector(records_))  // others look anew while this one waits for room
      order(Order::Kind::tend, record.name);
    TRY(rt::sleep(kTending));
  }
}

/// A ledger that was never counted may be long.
Result<void> Registrar::count_in_background() {
  constexpr auto kBudget = std::chrono::milliseconds(20);
  while (parts_.counter && !counted_) {
    count_requests(kBudget);
    TRY(rt::sleep(kBudget));
  }
  return {};
}

}  // namespace belljar::daemon
