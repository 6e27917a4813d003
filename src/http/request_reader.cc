#include <algorithm>

#include "http/head_parser.h"
#include "http/reader.h"

namespace belljar::http {
namespace {

constexpr std::size_t kMostMethod = 32;

std::uint16_t default_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

// What a URI may have in path and query, a little wider (browsers and curl send "|" and "{" as they are), but
// never what one parser ends a target at and another does not.
bool is_target_char(char c) { return c > 0x20 && c < 0x7F && c != '#' && c != '\\'; }

// "get" is another method than "GET" to the specification and the same one to some servers: a rule about GET
// must not be passed by so, and no client needs it.
bool is_method(std::string_view text) {
  return text.size() <= kMostMethod && is_token(text) &&
         std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

class RequestReader {
 public:
  RequestReader(io::BufferedReader& reader, const Limits& limits) : parser_(reader, limits) {}

  /// Nothing at the end of the connection.
  Result<std::optional<Request>> read() {
    std::optional<std::string> line = TRY(parser_.read_start_line(414));
    if (!line) return std::optional<Request>{};
    Request request;
    std::string target = TRY(parse_start_line(*line, request));
    request.headers = TRY(parser_.read_headers());
    TRY(parse_target(target, request));
    TRY(take_host(request));
    request.framing = TRY(parser_.take_framing(request.headers, request.minor_version));
    if (request.target_kind == TargetKind::connect && request.framing.kind != BodyKind::none) {
      return parser_.refuse(400, "CONNECT with a body");
    }
    request.keep_alive = persists(request.headers, request.minor_version);
    TRY(take_expectation(request));
    return std::optional(std::move(request));
  }

  [[nodiscard]] const std::optional<Refusal>& refusal() const { return parser_.refusal(); }

 private:
  // Exactly "METHOD SP TARGET SP VERSION"; answers the target.
  Result<std::string> parse_start_line(const std::string& line, Request& request) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == std::string::npos || first == last)
      return parser_.refuse(400, "the request line has not three parts");
    std::string_view whole(line);
    std::optional<int> version = parse_version(whole.substr(last + 1));
    if (!version) return parser_.refuse(400, "the request line names no HTTP version");
    if (*version < 0) return parser_.refuse(505, "an HTTP version other than 1.0 and 1.1");
    request.minor_version = *version;
    request.method = whole.substr(0, first);
    if (!is_method(request.method)) return parser_.refuse(400, "the method is no upper-case token");
    std::string target(whole.substr(first + 1, last - first - 1));
    if (target.empty() || !std::all_of(target.begin(), target.end(), is_target_char)) {
      return parser_.refuse(400, "the request target has characters that no target has");
    }
    return target;
  }

  Result<void> parse_target(std::string_view target, Request& request) {
    if (request.method == "CONNECT") {
      std::optional<HostAndPort> authority = split_authority(target);
      if (!authority || !authority->port) return parser_.refuse(400, "CONNECT without host and port");
      request.target_kind = TargetKind::connect;
      request.host = std::move(authority->host);
      request.port = authority->port;
      return {};
    }
    if (target == "*") {
      if (request.method != "OPTIONS") return parser_.refuse(400, "the target * belongs to OPTIONS");
      request.target_kind = TargetKind::asterisk;
      return {};
    }
    if (target.front() != '/') TRY(take_absolute(target, request));
    if (std::size_t mark = target.find('?'); mark != std::string_view::npos) {
      request.query = std::string(target.substr(mark + 1));
      target = target.substr(0, mark);
    }
    request.path = target.empty() ? "/" : std::string(target);
    return {};
  }

  // Absolute-form: takes scheme and authority off the front of the target.
  Result<void> take_absolute(std::string_view& target, Request& request) {
    for (std::string_view scheme : {"http", "https"}) {
      if (target.size() <= scheme.size() + 3 ||
          !equals_ignoring_case(target.substr(0, scheme.size()), scheme) ||
          target.substr(scheme.size(), 3) != "://") {
        continue;
      }
      target.remove_prefix(scheme.size() + 3);
      const std::size_t end = std::min(target.find_first_of("/?"), target.size());
      std::optional<HostAndPort> authority = split_authority(target.substr(0, end));
      if (!authority) return parser_.refuse(400, "the request target has no usable host");
      target.remove_prefix(end);
      request.scheme = scheme;
      request.host = std::move(authority->host);
      request.port = authority->port;
      return {};
    }
    return parser_.refuse(400, "the request target is neither a path nor an http URL");
  }

  // Exactly one Host, and the same one as a target that names its own. RFC 9112 sections 3.2 and 3.2.2.
  Result<void> take_host(Request& request) {
    if (request.headers.count("host") == 0) return parser_.refuse(400, "no Host");
    if (request.headers.count("host") > 1) return parser_.refuse(400, "more than one Host");
    std::optional<HostAndPort> host = split_authority(*request.headers.find("host"));
    if (!host) return parser_.refuse(400, "Host is not a host name with an optional port");
    request.headers.remove("host");
    if (request.host.empty()) {
      request.host = std::move(host->host);
      request.port = host->port;
      return {};
    }
    const bool connect = request.target_kind == TargetKind::connect;
    // Clients differ in whether a CONNECT's Host has the port; the target has it in any case.
    const std::uint16_t assumed = connect ? *request.port : default_port(request.scheme);
    if (host->host != request.host || host->port.value_or(assumed) != request.port.value_or(assumed)) {
      return parser_.refuse(421, "the request target and Host name different servers");
    }
    return {};
  }

  Result<void> take_expectation(Request& request) {
    const std::string* expect = request.headers.find("expect");
    if (expect == nullptr) return {};
    if (request.headers.count("expect") > 1 || !equals_ignoring_case(*expect, "100-continue")) {
      return parser_.refuse(417, "an expectation other than 100-continue");
    }
    request.expects_continue = request.minor_version >= 1 && request.framing.kind != BodyKind::none;
    request.headers.remove("expect");
    return {};
  }

  HeadParser parser_;
};

}  // namespace

Result<RequestOutcome> read_request_head(io::BufferedReader& reader, const Limits& limits) {
  RequestReader request_reader(reader, limits);
  Result<std::optional<Request>> read = request_reader.read();
  if (request_reader.refusal()) return RequestOutcome(*request_reader.refusal());
  std::optional<Request> request = TRY(std::move(read));
  if (!request) return RequestOutcome(Ended{});
  return RequestOutcome(std::move(*request));
}

}  // namespace belljar::http
