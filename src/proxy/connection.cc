#include "proxy/connection.h"

#include <array>

#include <fmt/core.h>
#include <sys/random.h>

#include "base/log.h"
#include "gateway/canonical.h"
#include "gateway/judge.h"
#include "http/body.h"
#include "proxy/answer.h"
#include "tls/stream.h"

namespace belljar::proxy {

namespace {

using policy::Scheme;
using policy::Verdict;

constexpr std::size_t kMaxDrained = 256U << 10;  // bytes of a denied request's body that are read past
constexpr std::size_t kLongestMethod = 24;

/// Whether what a client sent can become a request line: a method in capitals and a space. Nothing while it
/// can't be told yet.
std::optional<bool> looks_like_http(BytesView bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto byte = bytes[i];
    if (byte == ' ') return i > 0;
    bool capital = byte >= 'A' && byte <= 'Z';
    if ((!capital && byte != '-' && byte != '_') || i >= kLongestMethod) return false;
  }
  return {};
}

ledger::Event event_of(ledger::Kind kind, const Destination& destination) {
  ledger::Event event;
  event.kind = kind;
  event.verdict = "deny";
  event.host = destination.host();
  event.port = destination.port;
  return event;
}

/// Reads on for a moment so that the client sees the answer before the reset of what it still sends.
void linger(io::Stream& stream) {
  if (!stream.close_write().ok()) return;
  stream.set_read_deadline(rt::Deadline::after(std::chrono::seconds(2)));
  std::array<std::uint8_t, 4096> buffer{};
  for (std::size_t drained = 0; drained < kMaxDrained;) {
    auto count = stream.read_some(buffer);
    if (!count.ok() || *count == 0) return;
    drained += *count;
  }
}

/// Reads past the body of a request that was refused; whether the next request can follow.
bool drain(Client& client, const http::Request& request) {
  if (request.framing.kind == http::BodyKind::none) return true;
  if (request.expects_continue) return false;
  if (request.framing.kind == http::BodyKind::length && request.framing.length > kMaxDrained) return false;
  http::BodyReader body(client.reader, request.framing);
  std::array<std::uint8_t, 4096> buffer{};
  for (std::size_t drained = 0; drained <= kMaxDrained;) {
    auto count = body.read_some(buffer);
    if (!count.ok()) return false;
    if (*count == 0) return true;
    drained += *count;
  }
  return false;
}

}  // namespace

Connection::Connection(Context& context, io::Stream& stream, int socket, Destination destination)
    : context_(context), stream_(stream), socket_(socket), destination_(std::move(destination)) {}

void Connection::serve() {
  auto served = serve_first_bytes();
  if (!served.ok())
    log::debug("connection to {}:{}: {}", destination_.host(), destination_.port, served.error().to_string());
}

Result<void> Connection::serve_first_bytes() {
  // The scheme is not known before the first bytes: refused only if it would be either way.
  auto secure = judge_destination(context_.policy, Scheme::https, destination_);
  auto plain = judge_destination(context_.policy, Scheme::http, destination_);
  refused_ = secure.verdict == Verdict::deny && plain.verdict == Verdict::deny;
  const auto& patience = context_.patience;
  stream_.set_deadline(rt::Deadline::after(refused_ ? patience.refused : patience.first_bytes));

  io::BufferedReader first(stream_, http::kReaderLimit);
  auto hello = tls::peek_client_hello(first);
  if (!hello.ok()) {
    if (refused_)
      record_refused(secure.reason, secure.origin);
    else if (hello.error().code() == ErrorCode::malformed ||
             hello.error().code() == ErrorCode::limit_exceeded)
      record_refused("a TLS handshake that can't be read: " + hello.error().message());
    return std::move(hello).error();
  }
  if (auto* client_hello = std::get_if<tls::ClientHello>(&*hello)) return serve_tls(first, *client_hello);
  return serve_plain(first);
}

Result<void> Connection::serve_tls(io::BufferedReader& first, const tls::ClientHello& hello) {
  if (destination_.name && !hello.server_name.empty() && hello.server_name != *destination_.name) {
    record_refused(fmt::format("the TLS handshake asks for {}, but the connection is to {}",
                               hello.server_name, *destination_.name));
    constexpr std::array<std::uint8_t, 7> kUnrecognizedName = {0x15, 3, 3,  0,
                                                               2,    2, 112};  // RFC 6066 section 3
    TRY(stream_.write(kUnrecognizedName));
    TRY(stream_.flush());
    linger(stream_);
    return {};
  }
  // To an address any name may be asked for: the answer is a denial, but the client must be able to read it.
  std::string name = destination_.host();
  if (!destination_.name && policy::canonical_host(hello.server_name).ok()) name = hello.server_name;
  stream_.set_deadline(rt::Deadline::after(context_.patience.handshake));
  auto secure = tls::accept_tls(tls::Transport(first, stream_), context_.mint, name, {"http/1.1"});
  if (!secure.ok()) {
    record_refused("the TLS handshake failed: " + secure.error().message());
    return std::move(secure).error();
  }
  io::BufferedReader reader(**secure, http::kReaderLimit);
  return serve_requests(reader, **secure, Scheme::https);
}

Result<void> Connection::serve_plain(io::BufferedReader& first) {
  auto http = looks_like_http(first.buffered());
  while (!http) {
    if (TRY(first.fill()) == 0) http = false;
    if (!http) http = looks_like_http(first.buffered());
  }
  if (!*http) {
    auto judgement = judge_destination(context_.policy, Scheme::http, destination_);
    bool denied = refused_ && judgement.verdict == Verdict::deny;
    record_refused(denied ? judgement.reason : "neither TLS nor HTTP: what can't be judged does not pass",
                   denied ? judgement.origin : std::string());
    return {};
  }
  return serve_requests(first, stream_, Scheme::http);
}

Result<void> Connection::serve_requests(io::BufferedReader& reader, io::Stream& stream, Scheme scheme) {
  Client client{.reader = reader, .stream = stream, .socket = socket_, .tls = scheme == Scheme::https};
  auto after = After::keep;
  for (bool first = true; after == After::keep; first = false) {
    const auto& patience = context_.patience;
    stream.set_read_deadline(rt::Deadline::after(first || refused_ ? patience.first_bytes : patience.idle));
    if (TRY(reader.peek(1)).empty()) return {};
    stream.set_deadline(rt::Deadline::after(patience.head));
    auto outcome = TRY(http::read_request_head(reader));
    if (std::get_if<http::Ended>(&outcome) != nullptr) return {};
    if (auto* refusal = std::get_if<http::Refusal>(&outcome))
      after = refuse_malformed(client, *refusal, scheme);
    else
      after = serve_request(client, std::get<http::Request>(outcome), scheme);
  }
  if (after == After::close) {
    stream.set_deadline(rt::Deadline::after(context_.patience.handshake));
    linger(stream);
  }
  return {};
}

std::optional<gateway::Refusal> Connection::judge(const http::Request& request, Scheme scheme,
                                                  gateway::RequestHead& head) {
  auto refuse = [](std::uint16_t status, std::string reason, std::string how = {}, std::string origin = {}) {
    return gateway::Refusal{
        .status = status, .reason = std::move(reason), .how = std::move(how), .origin = std::move(origin)};
  };
  auto connection = judge_destination(context_.policy, scheme, destination_);
  if (!destination_.name) return refuse(403, connection.reason);
  if (request.target_kind == http::TargetKind::connect)
    return refuse(403, "CONNECT is refused: there is no proxy to go through", "connect to the name directly");
  if (request.target_kind == http::TargetKind::asterisk) return refuse(400, "OPTIONS * names no resource");

  auto host = policy::canonical_host(request.host);
  auto port = request.port.value_or(policy::default_port(scheme));
  bool same_scheme = request.scheme.empty() || request.scheme == policy::name_of(scheme);
  if (!host.ok() || *host != *destination_.name || port != destination_.port || !same_scheme)
    return refuse(421, fmt::format("the request is for {}, but the connection is to {}:{}",
                                   request.authority(), *destination_.name, destination_.port));
  auto made = gateway::request_head(request, scheme, *destination_.name, destination_.port);
  if (!made.ok()) return refuse(400, made.error().to_string());
  auto judged = gateway::judge(context_.policy, *made);
  if (!judged.ok()) return refuse(400, judged.error().to_string());
  const auto& judgement = *judged;
  if (judgement.verdict == Verdict::hold)
    return refuse(403, judgement.reason + " (held for a person, and nobody can be asked yet)", {},
                  judgement.origin);
  if (judgement.verdict != Verdict::allow) return refuse(403, judgement.reason, {}, judgement.origin);
  if (request.headers.lists("connection", "upgrade") && request.headers.lists("upgrade", "websocket"))
    return refuse(426, "WebSocket does not pass the door: use plain HTTP",
                  "repeat the request without Upgrade");
  head = std::move(*made);
  return {};
}

After Connection::serve_request(Client& client, http::Request& request, Scheme scheme) {
  gateway::RequestHead head;
  if (auto refusal = judge(request, scheme, head))
    return refuse(client, request, scheme, std::move(*refusal));
  return forward(context_, client, request, std::move(head), link_);
}

After Connection::refuse(Client& client, const http::Request& request, Scheme scheme,
                         gateway::Refusal refusal) {
  auto event = event_of(ledger::Kind::request, destination_);
  event.scheme = policy::name_of(scheme);
  event.method = request.method;
  event.path = header_line(request.path);
  event.reason = refusal.reason;
  event.origin = refusal.origin;
  event.status = refusal.status;
  // Durable before the jar learns of it (I10). Without the ledger it stays denied.
  auto recorded = context_.recorder.record(event, ledger::Durability::durable);
  if (!recorded.ok()) {
    log::warning("a denial was not recorded: {}", recorded.error().to_string());
    refusal = {
        .status = 503,
        .reason = "this can't be recorded in the ledger, and nothing leaves without that",
        .how = "on the host: belljar doctor says what is wrong with the ledger; then start the jar again",
        .origin = {}};
  }
  bool keep =
      request.target_kind == http::TargetKind::origin && request.minor_version > 0 && request.keep_alive;
  keep = keep && drain(client, request);
  client.stream.set_write_deadline(rt::Deadline::after(context_.patience.head));
  if (!write_refusal(client.stream, refusal, request.method, keep).ok()) return After::drop;
  return keep ? After::keep : After::close;
}

After Connection::refuse_malformed(Client& client, const http::Refusal& refusal, Scheme scheme) {
  auto event = event_of(ledger::Kind::request, destination_);
  event.scheme = policy::name_of(scheme);
  event.reason = "a request that can be read in more than one way, or not at all: " + refusal.reason;
  event.status = static_cast<std::uint16_t>(refusal.status);
  auto recorded = context_.recorder.record(event, ledger::Durability::durable);
  if (!recorded.ok()) log::warning("a denial was not recorded: {}", recorded.error().to_string());
  gateway::Refusal answer{.status = event.status, .reason = event.reason, .how = {}, .origin = {}};
  return write_refusal(client.stream, answer, "GET", false).ok() ? After::close : After::drop;
}

void Connection::record_refused(std::string reason, std::string origin) {
  auto event = event_of(ledger::Kind::connection, destination_);
  event.reason = std::move(reason);
  event.origin = std::move(origin);
  auto recorded = context_.recorder.record(event, ledger::Durability::durable);
  if (!recorded.ok()) log::warning("a denial was not recorded: {}", recorded.error().to_string());
}

}  // namespace belljar::proxy
