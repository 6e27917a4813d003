#include "daemon/watched.h"

#include <cerrno>

namespace belljar::daemon {

namespace {

constexpr auto kFirstWord = std::chrono::seconds(2);
constexpr auto kSilence = std::chrono::seconds(2);

}  // namespace

Result<void> Watched::begin(os::Fd socket) {
  socket_ = TRY(io::MessageSocket::open(std::move(socket)));
  TRY(socket_.send(keeper::encode(keeper::Request(keeper::request::Watch{})), {},
                   rt::Deadline::after(kFirstWord)));
  connected_ = true;
  ask();
  return {};
}

void Watched::ask() {
  if (!connected_ || asked_) return;
  figures_.reset();
  asked_ = rt::now();
  // One question at a time: there is room for it, or the keeper has ended, which is heard.
  (void)socket_.send(keeper::encode(keeper::Request(keeper::request::Status{})), {},
                     rt::Deadline::at(rt::now()));
}

Result<bool> Watched::hear() {
  auto message = socket_.receive(rt::Deadline::never());
  if (!message && message.error().system_errno() != ECONNRESET) return std::move(message).error();
  if (!message || !*message) return false;
  auto answer = TRY(keeper::decode_answer((*message)->bytes));
  if (auto* changed = std::get_if<keeper::answer::Changed>(&answer)) {
    state_ = std::move(changed->state);
  } else if (auto* figures = std::get_if<keeper::answer::StatusReport>(&answer)) {
    figures_ = std::move(*figures);
    asked_.reset();
  } else if (const auto* failed = std::get_if<keeper::answer::Failed>(&answer)) {
    return Error(ErrorCode::unsupported, failed->why);
  }
  return true;  // how it ended is written down in the jar's directory
}

bool Watched::is_awaited(rt::Duration patience) const { return asked_ && rt::now() - *asked_ < patience; }

std::string Watched::state() const {
  return asked_ && rt::now() - *asked_ >= kSilence ? "not answering" : state_;
}

}  // namespace belljar::daemon
