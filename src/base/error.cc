#include "base/error.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace belljar {

namespace {

ErrorCode code_of(int saved_errno) {
  switch (saved_errno) {
    case EINVAL:
      return ErrorCode::invalid_argument;
    case ENOENT:
    case ESRCH:
      return ErrorCode::not_found;
    case EEXIST:
      return ErrorCode::already_exists;
    case EACCES:
    case EPERM:
      return ErrorCode::permission_denied;
    case EPIPE:
    case ECONNRESET:
      return ErrorCode::closed;
    case ETIMEDOUT:
      return ErrorCode::timed_out;
    case EMFILE:
    case ENFILE:
    case ENOSPC:
    case ENOMEM:
    case EDQUOT:
      return ErrorCode::limit_exceeded;
    case ENOSYS:
    case EOPNOTSUPP:
      return ErrorCode::unsupported;
    default:
      return ErrorCode::system;
  }
}

}  // namespace

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid argument";
    case ErrorCode::not_found:
      return "not found";
    case ErrorCode::already_exists:
      return "already exists";
    case ErrorCode::permission_denied:
      return "permission denied";
    case ErrorCode::malformed:
      return "malformed";
    case ErrorCode::limit_exceeded:
      return "limit exceeded";
    case ErrorCode::closed:
      return "closed";
    case ErrorCode::timed_out:
      return "timed out";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::system:
      return "system";
    case ErrorCode::internal:
      return "internal";
  }
  return "unknown";
}

Error::Error(ErrorCode code, std::string message)
    : detail_(std::make_unique<Detail>(Detail{.code = code, .message = std::move(message)})) {}

Error Error::from_errno(int saved_errno, std::string what) {
  Error error(code_of(saved_errno), std::move(what) + ": " + std::strerror(saved_errno));
  error.detail_->saved_errno = saved_errno;
  return error;
}

Error&& Error::context(std::string doing) && {
  detail_->trail.push_back(std::move(doing));
  return std::move(*this);
}

Error&& Error::with_hint(std::string command) && {
  if (detail_->hint.empty()) detail_->hint = std::move(command);
  return std::move(*this);
}

std::string Error::to_string() const {
  std::string out;
  for (auto step = detail_->trail.rbegin(); step != detail_->trail.rend(); ++step)
    out += *step + ": ";
  return out + detail_->message;
}

}  // namespace belljar
