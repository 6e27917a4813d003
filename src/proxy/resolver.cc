#include "proxy/resolver.h"

#include <array>
#include <cerrno>

#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/log.h"
#include "io/buffered.h"
#include "io/fd_stream.h"
#include "rt/nursery.h"

namespace belljar::proxy {

namespace {

constexpr std::uint32_t kTtl = 300;         // an address is never given to another name
constexpr std::uint32_t kNegativeTtl = 60;  // what a rule allows later must be found soon
constexpr std::size_t kMaxMessage = 4096;
constexpr std::size_t kMaxTcpClients = 32;
constexpr std::size_t kMaxDeniedNames = 16384;  // of the pool's 65536, in a jar's life
constexpr auto kTcpPatience = std::chrono::seconds(10);

}  // namespace

std::optional<Bytes> Resolver::answer(BytesView message, dns::Transport transport) {
  auto parsed = dns::parse_query(message);
  if (auto* rejected = std::get_if<dns::Rejected>(&parsed)) return std::move(rejected->reply);
  return answer_name(std::get<dns::Query>(parsed), transport);
}

Bytes Resolver::answer_name(const dns::Query& query, dns::Transport transport) {
  auto host = policy::canonical_host(query.name);
  if (!host.ok()) {
    record_denied(query.name, "not a name that a host can have", {});
    return dns::answer_no_such_name(query, kNegativeTtl, transport);
  }
  auto judgement = policy::judge_host(policy_, *host);
  bool denied = judgement.verdict == policy::Verdict::deny;
  if (denied) record_denied(*host, judgement.reason, judgement.origin);
  bool wants_address = query.type == dns::kA || query.type == dns::kAny;
  if (query.record_class != dns::kInternet || !wants_address)
    return dns::answer_no_data(query, kNegativeTtl, transport);

  bool new_denied = denied && denied_assigned_.count(*host) == 0;
  bool too_many = denied_assigned_.size() >= kMaxDeniedNames;
  if (new_denied && (too_many || !denied_names_.admit(*host, rt::now())))
    return dns::answer_code(query, dns::Rcode::refused, transport);
  auto known = names_.size();
  auto assigned = names_.assign(*host, rt::now());
  if (kept_ != nullptr && names_.size() > known)
    // What is kept must never differ from what was told: whoever takes over goes by the file.
    if (auto kept = kept_->keep(*host); !kept) panic(kept.error().to_string());
  if (auto* address = std::get_if<std::uint32_t>(&assigned)) {
    if (new_denied) denied_assigned_.insert(*host);
    return dns::answer_address(query, *address, kTtl, transport);
  }
  record_denied(*host, "too many names asked for", {});
  return dns::answer_code(query, dns::Rcode::refused, transport);
}

void Resolver::record_denied(const std::string& name, std::string reason, std::string origin) {
  if (!recorded_.admit(name, rt::now())) return;
  ledger::Event event;
  event.kind = ledger::Kind::resolve;
  event.verdict = "deny";
  event.host = name;
  event.reason = std::move(reason);
  event.origin = std::move(origin);
  auto appended = recorder_.record(event, ledger::Durability::none);
  if (!appended.ok()) log::warning("a query was not recorded: {}", appended.error().to_string());
}

Result<void> Resolver::report_suppressed() {
  while (true) {
    TRY(rt::sleep(std::chrono::seconds(10)));
    auto count = recorded_.take_suppressed();
    if (count == 0) continue;
    ledger::Event event;
    event.kind = ledger::Kind::resolve;
    event.verdict = "deny";
    event.reason = fmt::format("{} more queries for names that nothing allows", count);
    auto appended = recorder_.record(event, ledger::Durability::none);
    if (!appended.ok()) log::warning("queries were not recorded: {}", appended.error().to_string());
  }
}

Result<void> Resolver::serve_udp(os::Fd socket) {
  TRY(os::set_nonblocking(socket.get()));
  std::array<std::uint8_t, kMaxMessage> buffer{};
  while (true) {
    TRY(rt::await_readable(socket.get(), rt::Deadline::never()));
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto* address = reinterpret_cast<sockaddr*>(&from);
    auto count =
        ::recvfrom(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_TRUNC, address, &size);
    if (count < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNREFUSED)) continue;
    if (count < 0) return Error::from_errno(errno, "receive a query");
    if (static_cast<std::size_t>(count) > buffer.size()) continue;
    auto reply = answer(BytesView(buffer).first(static_cast<std::size_t>(count)), dns::Transport::udp);
    // A reply that does not fit the socket's buffer is lost, as datagrams are: the client asks again.
    if (reply)
      ::sendto(socket.get(), reply->data(), reply->size(), MSG_DONTWAIT | MSG_NOSIGNAL, address, size);
    TRY(rt::yield());
  }
}

Result<void> Resolver::serve_tcp(os::Fd listener) {
  TRY(os::set_nonblocking(listener.get()));
  rt::Nursery clients;
  while (true) {
    TRY(rt::await_readable(listener.get(), rt::Deadline::never()));
    os::Fd accepted(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!accepted || clients.size() >= kMaxTcpClients) {
      TRY(rt::sleep(std::chrono::milliseconds(accepted ? 0 : 10)));
      continue;
    }
    auto socket = std::make_shared<os::Fd>(std::move(accepted));
    clients.start([this, socket]() -> Result<void> {
      auto served = serve_connection(std::move(*socket));
      if (!served.ok()) log::debug("resolver over TCP: {}", served.error().to_string());
      return {};
    });
  }
}

Result<void> Resolver::serve_connection(os::Fd socket) {
  auto stream = TRY(io::open_fd_stream(std::move(socket)));
  io::BufferedReader reader(*stream);
  while (true) {
    stream->set_deadline(rt::Deadline::after(kTcpPatience));
    auto message = TRY(dns::read_framed(reader));
    if (!message) return {};
    auto reply = answer(*message, dns::Transport::tcp);
    if (!reply) return {};
    TRY(dns::write_framed(*stream, *reply));
    TRY(stream->flush());
  }
}

}  // namespace belljar::proxy
