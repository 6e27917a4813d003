#include "keeper/connection.h"

#include <cerrno>

namespace belljar::keeper {

Result<std::optional<Received>> Connection::receive(rt::Deadline deadline) {
  auto message = socket_.receive(deadline);
  if (!message) {
    if (message.error().system_errno() == ECONNRESET) return std::optional<Received>{};
    return std::move(message).error();
  }
  if (!*message) return std::optional<Received>{};
  auto request = TRY(decode_request((*message)->bytes));
  return std::optional(Received{std::move(request), std::move((*message)->fds)});
}

Result<void> Connection::send(const Answer& answer, std::span<const int> fds, rt::Deadline deadline) {
  return socket_.send(encode(answer), fds, deadline);
}

}  // namespace belljar::keeper
