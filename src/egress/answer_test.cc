// Egress over memory pipes: this test is scan on one side and the server on the other.
#include "egress/answer.h"

#include <gmock/gmock.h>

#include "gateway/testing.h"
#include "io/memory.h"
#include "rt/nursery.h"
#include "rt/testing.h"

namespace belljar::egress {
namespace {

using gateway::End;
using gateway::Refusal;
using gateway::RequestHead;
using gateway::ResponseHead;
using testing::HasSubstr;
using testing::StartsWith;

rt::Deadline soon() { return rt::Deadline::after(std::chrono::seconds(5)); }

/// Every connection is a memory pipe whose far end this test holds.
class MemoryNetwork final : public net::Network {
 public:
  Result<std::unique_ptr<io::Stream>> connect(const net::Endpoint& endpoint, rt::Deadline) override {
    dialled.push_back(endpoint.to_string());
    if (on_dial) on_dial();
    if (failure) return Error::from_errno(failure, "connect to " + endpoint.to_string());
    auto pipe = io::create_memory_pipe();
    servers.push_back(std::move(pipe.second));
    return std::move(pipe.first);
  }
  std::vector<std::string> dialled;
  std::vector<std::unique_ptr<io::Stream>> servers;
  std::function<void()> on_dial;
  int failure = 0;
};

constexpr auto kHosts =
    "93.184.216.10 allowed.test denied.test\n10.1.2.3 named.test private.test\n127.0.0.1 loop.test";

struct Bench {
  Bench() {
    for (auto host : {"allowed.test", "named.test", "private.test", "loop.test", "unknown.test"})
      policy.rules.push_back(gateway::allow_rule(host, policy::Scheme::http));
    policy.rules[0].methods = {"GET", "POST"};
    policy.exceptions.push_back(
        {.host = "allowed.test", .port = 80, .origin = "test"});  // no routes are needed then
    policy.exceptions.push_back({.host = "named.test", .port = 80, .origin = "test"});
    names.emplace(NameService::create("nameserver 192.0.2.1", kHosts).value());
    trust.emplace(
        tls::TrustStore::from_pem(tls::CertificateAuthority::create().value().certificate_pem()).value());
    dialer.emplace(policy, *names, network, *trust);
    context.emplace(Context{.policy = policy, .dialer = *dialer, .pool = pool, .recorder = recorder});
    auto pipe = io::create_memory_pipe();
    link.emplace(std::move(pipe.first));
    inner.emplace(std::move(pipe.second));
  }

  void serve(rt::Nursery& nursery) {
    nursery.start([this]() -> Result<void> {
      serve_link(*context, *inner);
      inner->close();
      return {};
    });
  }
  /// A request without a body.
  void ask(std::string_view host, std::string_view path = "/", std::string_view method = "GET") {
    RequestHead head;
    head.exchange = "00000000000000aa";
    head.scheme = policy::Scheme::http;
    head.host = host;
    head.port = 80;
    head.method = method;
    head.path = path;
    TRY_OR_FAIL(link->send(head, soon()));
    TRY_OR_FAIL(link->send(End{}, soon()));
  }
  template <typename Wanted>
  Wanted expect() {
    auto frame = link->receive_frame(soon());
    if (!frame.ok()) {
      ADD_FAILURE() << frame.error().to_string();
      return {};
    }
    if (auto* wanted = std::get_if<Wanted>(&*frame)) return std::move(*wanted);
    if (auto* refusal = std::get_if<Refusal>(&*frame)) ADD_FAILURE() << "refused: " << refusal->reason;
    ADD_FAILURE() << "another frame: " << frame->index();
    return {};
  }
  io::Stream& server(std::size_t index = 0) {
    while (network.servers.size() <= index)
      if (!rt::yield().ok()) break;
    return *network.servers.at(index);
  }
  std::string read_at_server(std::string_view until, std::size_t index = 0) {
    std::string got;
    std::array<std::uint8_t, 4096> buffer{};
    while (got.find(until) == std::string::npos) {
      auto& stream = server(index);
      stream.set_read_deadline(soon());
      auto count = stream.read_some(buffer);
      if (!count.ok() || *count == 0) break;
      got += as_text(BytesView(buffer).first(*count));
    }
    return got;
  }

  policy::Policy policy;
  gateway::MemoryRecorder recorder;
  MemoryNetwork network;
  std::optional<NameService> names;
  std::optional<tls::TrustStore> trust;
  std::optional<Dialer> dialer;
  Pool pool;
  std::optional<Context> context;
  std::optional<gateway::Link> link;
  std::optional<gateway::Link> inner;
};

constexpr auto kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello";

FIBER_TEST(Egress, RecordsTheAllowBeforeItDials) {
  Bench bench;
  std::size_t recorded_at_dial = 0;
  bench.network.on_dial = [&] { recorded_at_dial = bench.recorder.events.size(); };
  bench.recorder.on_record = [](const ledger::Event&, ledger::Durability) {
    return rt::sleep(std::chrono::milliseconds(10));
  };
  rt::Nursery nursery;
  bench.serve(nursery);
  bench.ask("allowed.test", "/a");
  EXPECT_EQ(bench.read_at_server("\r\n\r\n"), "GET /a HTTP/1.1\r\nhost: allowed.test\r\n\r\n");
  EXPECT_EQ(recorded_at_dial, 1U);
  EXPECT_EQ(bench.recorder.events.at(0).verdict, "allow");
  TRY_OR_FAIL(io::write_text(bench.server(), kHello));
  auto head = bench.expect<ResponseHead>();
  EXPECT_EQ(head.headers, (http::Headers{{"x-a", "b"}}));
  EXPECT_EQ(bench.expect<gateway::Body>().bytes, to_bytes("hello"));
  bench.expect<End>();
  EXPECT_EQ(bench.recorder.events.at(1).kind, ledger::Kind::response);
  EXPECT_EQ(bench.recorder.events.at(1).bytes_in, 5U);
  EXPECT_EQ(bench.recorder.events.at(1).status, 200);
}

FIBER_TEST(Egress, WithoutTheLedgerNothingIsDialled) {
  Bench bench;
  bench.recorder.on_record = [](const auto&, auto) -> Result<void> {
    return Error(ErrorCode::closed, "gone");
  };
  rt::Nursery nursery;
  bench.serve(nursery);
  bench.ask("allowed.test");
  EXPECT_EQ(bench.expect<Refusal>().status, 503);
  EXPECT_TRUE(bench.network.dialled.empty());
}

FIBER_TEST(Egress, JudgesAgainWhateverTheProxySays) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  bench.ask("denied.test");
  EXPECT_EQ(bench.expect<Refusal>().status, 403);
  bench.ask("allowed.test", "/", "DELETE");
  EXPECT_EQ(bench.expect<Refusal>().status, 403);
  EXPECT_TRUE(bench.network.dialled.empty());
  EXPECT_EQ(bench.recorder.events.at(0).verdict, "deny");
}

FIBER_TEST(Egress, DialsOnlyPublicAddressesAndNamedOnes) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  for (auto host : {"private.test", "loop.test"}) {
    bench.ask(host);
    EXPECT_THAT(bench.expect<Refusal>().reason, HasSubstr("not public"));
  }
  EXPECT_TRUE(bench.network.dialled.empty());
  EXPECT_EQ(bench.recorder.events.at(1).verdict, "deny");
  bench.ask("named.test");
  bench.read_at_server("\r\n\r\n");
  EXPECT_THAT(bench.network.dialled, testing::ElementsAre("10.1.2.3:80"));
}

FIBER_TEST(Egress, AConnectionServesTheNextRequestAndADeadOneIsReplaced) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  for (int i = 0; i < 2; ++i) {
    bench.ask("allowed.test");
    bench.read_at_server("\r\n\r\n");
    TRY_OR_FAIL(io::write_text(bench.server(), kHello));
    bench.expect<ResponseHead>();
    bench.expect<gateway::Body>();
    bench.expect<End>();
  }
  EXPECT_EQ(bench.network.dialled.size(), 1U);
  bench.ask("allowed.test", "/third");
  bench.read_at_server("\r\n\r\n");
  TRY_OR_FAIL(bench.server().close_write());  // closed without a byte: asked again on a fresh one
  EXPECT_THAT(bench.read_at_server("\r\n\r\n", 1), StartsWith("GET /third"));
  TRY_OR_FAIL(io::write_text(bench.server(1), kHello));
  bench.expect<ResponseHead>();
}

FIBER_TEST(Egress, WhatMayHaveHadAnEffectIsNotSentTwice) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  bench.ask("allowed.test");
  bench.read_at_server("\r\n\r\n");
  TRY_OR_FAIL(io::write_text(bench.server(), kHello));
  bench.expect<ResponseHead>();
  bench.expect<gateway::Body>();
  bench.expect<End>();
  bench.ask("allowed.test", "/", "POST");
  bench.read_at_server("\r\n\r\n");
  TRY_OR_FAIL(bench.server().close_write());
  EXPECT_EQ(bench.expect<Refusal>().status, 502);
  EXPECT_EQ(bench.network.dialled.size(), 1U);
}

FIBER_TEST(Egress, AServerThatCutsItsAnswerIsNotTakenForComplete) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  bench.ask("allowed.test");
  bench.read_at_server("\r\n\r\n");
  TRY_OR_FAIL(io::write_text(bench.server(), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"));
  TRY_OR_FAIL(bench.server().close_write());
  bench.expect<ResponseHead>();
  bench.expect<gateway::Body>();
  bench.expect<gateway::Abort>();
  EXPECT_EQ(bench.pool.size(), 0U);
}

FIBER_TEST(Egress, TheEndOfTheLinkEndsTheRequestAtTheServer) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  bench.ask("allowed.test");
  bench.read_at_server("\r\n\r\n");
  bench.link->close();
  std::array<std::uint8_t, 16> buffer{};
  bench.server().set_read_deadline(soon());
  auto end = bench.server().read_some(buffer);
  EXPECT_TRUE(!end.ok() ? end.error().code() != ErrorCode::timed_out : *end == 0);
}

FIBER_TEST(Egress, SaysWhyAServerCouldNotBeReached) {
  Bench bench;
  bench.network.failure = ECONNREFUSED;
  rt::Nursery nursery;
  bench.serve(nursery);
  bench.ask("allowed.test");
  auto refusal = bench.expect<Refusal>();
  EXPECT_EQ(refusal.status, 502);
  EXPECT_THAT(refusal.reason, HasSubstr("refused"));
  EXPECT_EQ(bench.recorder.events.back().status, 502);
}

FIBER_TEST(Egress, FramesThatHaveNoPlaceEndTheLink) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  TRY_OR_FAIL(bench.link->send(End{}, soon()));
  EXPECT_FALSE(bench.link->receive_frame(soon()).ok());
  EXPECT_TRUE(bench.network.dialled.empty());
}

}  // namespace
}  // namespace belljar::egress
