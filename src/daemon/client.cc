#include "daemon/client.h"

#include <cerrno>
#include <chrono>

#include <poll.h>
#include <unistd.h>

#include "keeper/ask.h"
#include "keeper/jars.h"
#include "keeper/socket.h"
#include "keeper/summons.h"
#include "os/passing.h"

namespace belljar::daemon {

namespace {

constexpr int kStarting = 2000;   // ms for a daemon to listen
constexpr int kAnswering = 2000;  // ms for the next message of it
constexpr int kKeeper = 2000;     // ms for a keeper to answer

/// The next answer. `closed` when the daemon ends or is another build: its successor will know.
Result<Answer> next_answer(int socket) {
  pollfd event{socket, POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&event, 1, kAnswering)) < 0 && errno == EINTR)
    continue;
  if (ready == 0) return Error(ErrorCode::timed_out, "belljard does not answer");
  auto message = os::receive_message(socket);
  if (!message && message.error().system_errno() != ECONNRESET) return std::move(message).error();
  if (!message || !*message) return Error(ErrorCode::closed, "belljard has just ended");
  auto answer = decode_answer((*message)->bytes);
  if (!answer && answer.error().code() == ErrorCode::unsupported)
    return Error(ErrorCode::closed, answer.error().to_string());
  if (!answer) return answer;
  if (auto* failed = std::get_if<answer::Failed>(&*answer)) return Error(ErrorCode::closed, failed->why);
  return answer;
}

Result<void> send(int socket, const Request& request) {
  auto sent = os::send_message(socket, encode(request));
  if (!sent && (sent.error().system_errno() == EPIPE || sent.error().system_errno() == ECONNRESET))
    return Error(ErrorCode::closed, "belljard has just ended");
  return sent;
}

Result<Listing> ask_once(const keeper::DaemonPlace& place, const std::string& libexec_directory) {
  auto socket = TRY(keeper::summon_daemon(place, libexec_directory, kStarting));
  TRY(send(socket.get(), request::List{}));
  Listing listing;
  while (true) {
    auto answer = TRY(next_answer(socket.get()));
    if (auto* jar = std::get_if<KnownJar>(&answer)) {
      listing.jars.push_back(std::move(*jar));
    } else if (auto* end = std::get_if<answer::End>(&answer)) {
      listing.notes = std::move(end->notes);
      return listing;
    } else {
      return Error(ErrorCode::malformed, "belljard answers what was not asked");
    }
  }
}

}  // namespace

Result<Listing> ask_for_jars(const keeper::Directories& directories, const std::string& libexec_directory) {
  constexpr int kAttempts = 3;  // it may be at its end just when it is asked
  keeper::DaemonPlace place(directories.state);
  for (int attempt = 1;; ++attempt) {
    auto listing = ask_once(place, libexec_directory);
    if (listing || listing.error().code() != ErrorCode::closed || attempt == kAttempts) return listing;
    ::usleep(20'000);
  }
}

Result<answer::About> ask_about(const keeper::Directories& directories) {
  auto socket = TRY(keeper::connect_to_daemon(keeper::DaemonPlace(directories.state)));
  TRY(send(socket.get(), request::About{}));
  auto answer = TRY(next_answer(socket.get()));
  if (auto* about = std::get_if<answer::About>(&answer)) return std::move(*about);
  return Error(ErrorCode::malformed, "belljard answers what was not asked");
}

Result<std::vector<KnownJar>> look_at_jars(const keeper::Directories& directories) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  std::vector<KnownJar> all;
  std::vector<os::Fd> asked;  // all of them before any is waited for
  for (const auto& record : TRY(jars.list())) {
    auto directory = directories.jars() + "/" + record.name;
    auto socket = record.running ? keeper::open_request(directory, keeper::request::Status{})
                                 : Result<os::Fd>(os::Fd());
    asked.push_back(socket ? std::move(*socket) : os::Fd());
    auto ended = keeper::read_end(directory);
    auto state = record.running
                     ? "running"
                     : state_at_rest(record.damaged, keeper::has_socket(directory), record.started, ended);
    all.push_back({.name = record.name,
                   .workspace = record.workspace,
                   .agent = record.agent,
                   .created = record.created,
                   .started = record.started,
                   .ended = ended,
                   .state = std::move(state),
                   .running = record.running});
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (!asked[n]) continue;
    auto answer = keeper::await_answer(asked[n].get(), kKeeper);
    if (!answer) {
      all[n].state = answer.error().code() == ErrorCode::timed_out ? "not answering" : "ending";
    } else if (auto* report = std::get_if<keeper::answer::StatusReport>(&*answer)) {
      all[n].state = report->state;
      all[n].live = std::move(*report);
    }
  }
  return all;
}

}  // namespace belljar::daemon
