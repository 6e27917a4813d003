#include "egress/failure.h"

#include <cerrno>

#include <fmt/core.h>

namespace belljar::egress {

namespace {

std::string hint_for(const Error& error) {
  if (error.system_errno() == ECONNREFUSED)
    return "nothing listens there: check the port, or try again later";
  switch (error.code()) {
    case ErrorCode::not_found:
      return "check the spelling of the name";
    case ErrorCode::permission_denied:
      return "the host of this jar does not trust the certificate either: the user must look at it";
    case ErrorCode::timed_out:
      return "try again later";
    default:
      return "try again";
  }
}

}  // namespace

gateway::Refusal refusal_for_failure(const Error& error, const Origin& origin) {
  auto where = fmt::format("{}:{}", origin.host, origin.port);
  gateway::Refusal refusal;
  refusal.status = error.code() == ErrorCode::timed_out ? 504 : 502;
  refusal.reason =
      fmt::format("the request was allowed, but {} could not answer it: {}", where, error.to_string());
  refusal.how = hint_for(error);
  return refusal;
}

}  // namespace belljar::egress
