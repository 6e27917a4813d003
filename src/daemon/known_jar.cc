#include "daemon/known_jar.h"

namespace belljar::daemon {

std::string state_at_rest(bool damaged, bool has_socket, std::int64_t started,
                          const std::optional<keeper::EndRecord>& ended) {
  if (damaged) return "damaged";
  // What a keeper leaves that was killed, and what is written down when that is cleared away.
  bool killed = has_socket || (ended && !ended->exit_code && ended->time >= started);
  return killed ? "killed" : "stopped";
}

}  // namespace belljar::daemon
