// What commands of the CLI ask the keeper of a running jar.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "keeper/protocol.h"
#include "os/fd.h"

namespace belljar::keeper {

/// A connection on which the request was sent. not_found when no keeper listens in this jar's directory.
Result<os::Fd> open_request(const std::string& jar_directory, const Request& request,
                            std::span<const int> fds = {});
/// The next answer, at most `milliseconds` later (-1: however long it takes). The keeper's own failure is the
/// error.
Result<Answer> await_answer(int socket, int milliseconds);
/// A TCP connection to a port of the jar's loopback.
Result<os::Fd> ask_connection(const std::string& jar_directory, std::uint16_t port);
/// Both.
Result<Answer> ask(const std::string& jar_directory, const Request& request, int milliseconds);

}  // namespace belljar::keeper
