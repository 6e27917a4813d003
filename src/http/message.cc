#include "http/message.h"

#include <algorithm>

namespace belljar::http {
namespace {

bool is_host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_literal_char(char c) {
  return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

// 1 to 5 digits, 1–65535, no leading zero: "0443" is another spelling of the same port.
std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.empty() || text.size() > 5 || text.front() == '0') return std::nullopt;
  std::uint32_t port = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    port = port * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

}  // namespace

std::string Request::authority() const { return port ? host + ":" + std::to_string(*port) : host; }

std::string Request::target() const {
  switch (target_kind) {
    case TargetKind::connect:
      return authority();
    case TargetKind::asterisk:
      return "*";
    case TargetKind::origin:
      break;
  }
  return query ? path + "?" + *query : path;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 103:
      return "Early Hints";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 407:
      return "Proxy Authentication Required";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

std::optional<HostAndPort> split_authority(std::string_view text) {
  std::string_view host = text;
  std::optional<std::uint16_t> port;
  std::size_t host_end = text.starts_with('[') ? text.find(']') : text.find(':');
  if (text.starts_with('[')) {
    if (host_end == std::string_view::npos) return std::nullopt;
    ++host_end;
  }
  if (host_end < text.size()) {
    if (text[host_end] != ':') return std::nullopt;
    port = parse_port(text.substr(host_end + 1));
    if (!port) return std::nullopt;
    host = text.substr(0, host_end);
  }

  std::string lowered = lower_case(host);
  if (lowered.starts_with('[')) {
    std::string_view literal = std::string_view(lowered).substr(1, lowered.size() - 2);
    if (literal.size() < 2 || !std::all_of(literal.begin(), literal.end(), is_literal_char))
      return std::nullopt;
  } else if (lowered.empty() || lowered.size() > 255 ||
             !std::all_of(lowered.begin(), lowered.end(), is_host_char)) {
    return std::nullopt;
  }
  return HostAndPort{.host = std::move(lowered), .port = port};
}

}  // namespace belljar::http
