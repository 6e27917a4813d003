#include "daemon/broker.h"

#include <algorithm>
#include <array>

#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/housekeeping.h"
#include "keeper/socket.h"
#include "os/fork.h"
#include "os/peer.h"
#include "rt/loop.h"
#include "rt/nursery.h"
#include "rt/signals.h"

namespace belljar::daemon {

namespace {

/// How long the registrar may take to read a message, and to end.
constexpr auto kPatience = std::chrono::seconds(5);
/// For what dies with a keeper to be dead.
constexpr auto kDying = std::chrono::seconds(1);
/// A checkpoint store of many gigabytes takes its time at the lowest priority.
constexpr auto kLongestJob = std::chrono::minutes(30);
constexpr std::size_t kMostJobs = 4096;

void become_unimportant() {
  constexpr int kProcess = 1, kIdleClass = 3 << 13;  // ioprio_set(2)
  ::setpriority(PRIO_PROCESS, 0, 19);
  ::syscall(SYS_ioprio_set, kProcess, 0, kIdleClass);
}

}  // namespace

Result<void> Broker::run() {
  rt::Nursery nursery;
  auto start = [&nursery](auto body) {
    nursery.start([body]() -> Result<void> {
      auto done = body();
      if (!done && done.error().code() != ErrorCode::cancelled) log::warning("{}", done.error().to_string());
      return {};
    });
  };
  start([this] { return accept_clients(); });
  start([this] { return take_orders(); });
  start([this] { return keep_house(); });
  start([this] { return watch_signals(); });
  TRY(rt::await_readable(parts_.registrar.pidfd(), rt::Deadline::never()));
  nursery.cancel();
  (void)nursery.join();
  auto exit = TRY(parts_.registrar.wait());
  if (exit.shell_code() != 0) return Error(ErrorCode::internal, "the registrar has failed");
  return {};
}

Result<void> Broker::accept_clients() {
  while (true) {
    TRY(rt::await_readable(parts_.listener.get(), rt::Deadline::never()));
    os::Fd accepted(::accept4(parts_.listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!accepted) {  // it went again, or there is no descriptor left for it
      TRY(rt::sleep(std::chrono::milliseconds(10)));
      continue;
    }
    if (auto checked = os::check_peer(accepted.get()); !checked) {
      log::warning("refused: {}", checked.error().to_string());
      continue;
    }
    std::array<int, 1> fds = {accepted.get()};
    (void)parts_.orders.send(encode(Delivery{}), fds, rt::Deadline::after(kPatience));
  }
}

Result<void> Broker::take_orders() {
  while (auto message = TRY(parts_.orders.receive(rt::Deadline::never()))) {
    auto order = decode_order(message->bytes);
    if (!order) return std::move(order).error();
    if (order->kind == Order::Kind::connect) {
      TRY(connect(order->jar));
    } else if (jobs_.size() < kMostJobs && std::find(jobs_.begin(), jobs_.end(), *order) == jobs_.end()) {
      jobs_.push_back(std::move(*order));
      more_jobs_.wake_one();
    }
  }
  return {};
}

Result<void> Broker::connect(const std::string& jar) {
  auto socket = keeper::connect_to(parts_.jars_directory + "/" + jar, false);
  auto kind = socket ? Delivery::Kind::keeper : Delivery::Kind::none;
  std::array<int, 1> fds = {socket ? socket->get() : -1};
  return parts_.orders.send(encode(Delivery{kind, jar}), std::span<const int>(fds.data(), socket ? 1U : 0U),
                            rt::Deadline::after(kPatience));
}

/// One job after the other, each in a process of its own.
Result<void> Broker::keep_house() {
  while (true) {
    while (jobs_.empty())
      TRY(more_jobs_.wait(rt::Deadline::never()));
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    if (job.kind == Order::Kind::clear) TRY(rt::sleep(kDying));
    auto store = parts_.jars_directory + "/" + job.jar + "/undo";
    if (job.kind == Order::Kind::tend && ::access(store.c_str(), F_OK) < 0) continue;
    auto child = TRY(os::fork_process(os::Lifetime::parents, [this, &job]() -> int {
      become_unimportant();
      auto done = job.kind == Order::Kind::clear
                      ? clear_after_kill(parts_.jars_directory, job.jar)
                      : tend_checkpoints(parts_.jars_directory, job.jar, parts_.config_file);
      if (!done) log::warning("keeping house in jar {}: {}", job.jar, done.error().to_string());
      return done ? 0 : 1;
    }));
    // Where the time is up, its owner kills it: it can be cut off at any moment.
    (void)rt::await_readable(child.pidfd(), rt::Deadline::after(kLongestJob));
  }
}

Result<void> Broker::watch_signals() {
  auto signals = TRY(rt::SignalWatch::open({SIGTERM, SIGINT}));
  (void)TRY(signals.next(rt::Deadline::never()));
  ::shutdown(parts_.orders.fd(), SHUT_RDWR);  // the registrar's sign to end
  TRY(rt::sleep(kPatience));
  return parts_.registrar.signal(SIGKILL);
}

}  // namespace belljar::daemon
