#include "egress/dialer.h"

#include <algorithm>

#include <fmt/core.h>

#include "http/reader.h"

namespace belljar::egress {

namespace {

constexpr auto kResolve = std::chrono::seconds(10);
constexpr auto kFirstTries = std::chrono::seconds(3);  // of each address but the last
constexpr auto kLastTry = std::chrono::seconds(10);
constexpr auto kHandshake = std::chrono::seconds(10);
constexpr std::size_t kMaxCandidates = 8;

bool is_exception(const policy::Policy& policy, const Origin& origin) {
  return std::any_of(policy.exceptions.begin(), policy.exceptions.end(), [&](const auto& exception) {
    return exception.host == origin.host && exception.port == origin.port;
  });
}

bool is_service(const policy::Policy& policy, const Origin& origin) {
  return origin.scheme == policy::Scheme::http &&
         std::any_of(policy.services.begin(), policy.services.end(),
                     [&](const auto& service) { return service.port == origin.port; });
}

}  // namespace

Result<std::variant<std::vector<net::Endpoint>, Forbidden>> Dialer::candidates(const Origin& origin) {
  using Outcome = std::variant<std::vector<net::Endpoint>, Forbidden>;
  if (origin.host == policy::kServiceHost) {
    if (!is_service(policy_, origin))
      return Outcome(Forbidden{fmt::format("port {} is no named service of the host", origin.port), {}});
    return Outcome(std::vector{net::Endpoint{net::Address::v4({127, 0, 0, 1}), origin.port}});
  }
  std::vector<net::Endpoint> all;
  for (const auto& text : TRY(names_.look_up(origin.host, rt::Deadline::after(kResolve)))) {
    auto address = net::Address::parse(text);
    if (address.ok() && all.size() < kMaxCandidates) all.push_back({*address, origin.port});
  }
  if (all.empty()) return Error(ErrorCode::not_found, fmt::format("the name {} has no address", origin.host));
  if (is_exception(policy_, origin)) return Outcome(std::move(all));

  net::PublicOnlyNetwork checked(network_);
  std::vector<net::Endpoint> allowed;
  std::string why;
  for (const auto& endpoint : all) {
    auto may = checked.may_connect(endpoint);
    if (may.ok())
      allowed.push_back(endpoint);
    else if (why.empty())
      why = may.error().message();
  }
  if (allowed.empty()) return Outcome(Forbidden{fmt::format("{} leads to {}", origin.host, why), {}});
  return Outcome(std::move(allowed));
}

Result<std::unique_ptr<io::Stream>> Dialer::connect(const Origin& origin,
                                                    const std::vector<net::Endpoint>& endpoints) {
  // Checked again where it is dialled: only what candidates() let through as named may be other than public.
  bool named = origin.host == policy::kServiceHost || is_exception(policy_, origin);
  net::PublicOnlyNetwork network(network_, named ? endpoints : std::vector<net::Endpoint>{});
  std::optional<Error> last;
  for (const auto& endpoint : endpoints) {
    bool is_last = &endpoint == &endpoints.back();
    auto connected = network.connect(endpoint, rt::Deadline::after(is_last ? kLastTry : kFirstTries));
    if (connected.ok()) return connected;
    if (connected.error().code() == ErrorCode::cancelled) return connected;
    last = std::move(connected).error();
  }
  return std::move(*last);
}

Result<std::variant<std::unique_ptr<Upstream>, Forbidden>> Dialer::dial(const Origin& origin) {
  auto found = TRY(candidates(origin));
  if (auto* forbidden = std::get_if<Forbidden>(&found)) return {std::move(*forbidden)};
  auto upstream = std::make_unique<Upstream>();
  upstream->origin = origin;
  upstream->tcp = TRY(connect(origin, std::get<std::vector<net::Endpoint>>(found)));
  if (origin.scheme == policy::Scheme::https) {
    upstream->tcp->set_deadline(rt::Deadline::after(kHandshake));
    upstream->tls = TRY(tls::connect_tls(tls::Transport(*upstream->tcp), origin.host, trust_, {"http/1.1"}));
  }
  upstream->reader = std::make_unique<io::BufferedReader>(upstream->stream(), http::kReaderLimit);
  return {std::move(upstream)};
}

}  // namespace belljar::egress
