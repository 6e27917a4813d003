#include "ledger/recorder.h"

#include <cerrno>

#include <sys/socket.h>

namespace belljar::ledger {

namespace {

Error gone() { return Error(ErrorCode::closed, "the ledger is gone: what can't be recorded is not done"); }

Result<void> result_of(const Acknowledgement& acknowledgement) {
  if (acknowledgement.refusal.empty()) return {};
  return Error(ErrorCode::limit_exceeded, "the ledger refused the record: " + acknowledgement.refusal);
}

Bytes append_of(std::uint64_t id, const Event& event, Durability durability) {
  return encode(Append{.id = id, .durability = durability, .event = encode(event)});
}

}  // namespace

Result<std::unique_ptr<FiberRecorder>> FiberRecorder::open(os::Fd socket, rt::Duration patience) {
  auto messages = TRY(io::MessageSocket::open(std::move(socket)));
  return std::unique_ptr<FiberRecorder>(new FiberRecorder(std::move(messages), patience));
}

Result<void> FiberRecorder::record(const Event& event, Durability durability) {
  if (gone_) return gone();
  auto deadline = rt::Deadline::after(patience_);
  auto id = next_id_++;
  TRY(socket_.send(append_of(id, event, durability), {}, deadline).context("recording in the ledger"));
  if (durability == Durability::none) return {};
  waiting_[id] = nullptr;
  auto result = wait_for(id, deadline);
  waiting_.erase(id);
  return std::move(result).context("recording in the ledger");
}

Result<void> FiberRecorder::wait_for(std::uint64_t id, rt::Deadline deadline) {
  while (true) {
    if (const auto& acknowledgement = waiting_[id]) return result_of(*acknowledgement);
    if (gone_) return gone();
    if (receiving_) {
      TRY(others_.wait(deadline));
      continue;
    }
    receiving_ = true;
    auto received = receive_one(deadline);
    receiving_ = false;
    others_.wake_all();  // to look for their own, or to read on
    TRY(std::move(received));
  }
}

Result<void> FiberRecorder::receive_one(rt::Deadline deadline) {
  auto message = socket_.receive(deadline);
  if (!message && message.error().code() == ErrorCode::timed_out) return std::move(message).error();
  if (!message && message.error().code() == ErrorCode::cancelled) return std::move(message).error();
  if (!message || !message->has_value()) {
    gone_ = true;
    return {};
  }
  auto acknowledgement = decode_acknowledgement((*message)->bytes);
  if (!acknowledgement) {
    gone_ = true;  // nothing that comes now can be told apart
    return std::move(acknowledgement).error();
  }
  // One that nobody waits for any more came too late.
  if (auto found = waiting_.find(acknowledgement->id); found != waiting_.end())
    found->second = std::make_unique<Acknowledgement>(std::move(acknowledgement).value());
  return {};
}

Result<std::unique_ptr<BlockingRecorder>> BlockingRecorder::open(os::Fd socket, int patience) {
  TRY(os::set_nonblocking(socket.get(), false));
  timeval limit{.tv_sec = patience / 1000, .tv_usec = patience % 1000 * 1000};
  for (int option : {SO_RCVTIMEO, SO_SNDTIMEO})
    if (::setsockopt(socket.get(), SOL_SOCKET, option, &limit, sizeof limit) < 0)
      return Error::from_errno(errno, "bound the waits for the ledger");
  return std::unique_ptr<BlockingRecorder>(new BlockingRecorder(std::move(socket)));
}

Result<void> BlockingRecorder::record(const Event& event, Durability durability) {
  auto id = next_id_++;
  TRY(os::send_message(socket_.get(), append_of(id, event, durability)).context("recording in the ledger"));
  while (durability != Durability::none) {
    auto message = os::receive_message(socket_.get());
    if (!message && message.error().system_errno() == EAGAIN)
      return Error(ErrorCode::timed_out, "the ledger did not answer in time");
    auto received = TRY(std::move(message).context("recording in the ledger"));
    if (!received) return gone();
    auto acknowledgement = TRY(decode_acknowledgement(received->bytes));
    if (acknowledgement.id == id) return result_of(acknowledgement);
  }
  return {};
}

}  // namespace belljar::ledger
