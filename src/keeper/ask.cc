#include "keeper/ask.h"

#include <cerrno>

#include <poll.h>

#include "keeper/socket.h"
#include "os/passing.h"

namespace belljar::keeper {

Result<os::Fd> open_request(const std::string& jar_directory, const Request& request,
                            std::span<const int> fds) {
  auto socket = TRY(connect_to(jar_directory));
  TRY(os::send_message(socket.get(), encode(request), fds).context("asking the jar's keeper"));
  return socket;
}

namespace {

struct Answered {
  Answer answer;
  std::vector<os::Fd> fds;
};

Result<Answered> await_message(int socket, int milliseconds) {
  pollfd event{socket, POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&event, 1, milliseconds)) < 0 && errno == EINTR)
    continue;
  if (ready == 0) return Error(ErrorCode::timed_out, "the jar's keeper does not answer");
  auto message = os::receive_message(socket);
  if (!message && message.error().system_errno() != ECONNRESET) return std::move(message).error();
  if (!message || !*message)
    return Error(ErrorCode::closed, "the jar has just ended").with_hint("belljar ls");
  auto answer = TRY(decode_answer((*message)->bytes));
  if (auto* failed = std::get_if<answer::Failed>(&answer)) {
    Error error(ErrorCode::internal, failed->why);
    if (!failed->hint.empty()) return std::move(error).with_hint(failed->hint);
    return error;
  }
  return Answered{std::move(answer), std::move((*message)->fds)};
}

}  // namespace

Result<Answer> await_answer(int socket, int milliseconds) {
  return TRY(await_message(socket, milliseconds)).answer;
}

Result<os::Fd> ask_connection(const std::string& jar_directory, std::uint16_t port) {
  constexpr int kPatience = 10'000;  // ms
  auto socket = TRY(open_request(jar_directory, request::Connect{port}));
  auto answered = TRY(await_message(socket.get(), kPatience));
  if (std::get_if<answer::Connected>(&answered.answer) == nullptr || answered.fds.size() != 1)
    return Error(ErrorCode::malformed, "the jar's keeper gave no connection");
  return std::move(answered.fds.front());
}

Result<Answer> ask(const std::string& jar_directory, const Request& request, int milliseconds) {
  auto socket = TRY(open_request(jar_directory, request));
  return await_answer(socket.get(), milliseconds);
}

}  // namespace belljar::keeper
