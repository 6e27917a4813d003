// One connection of the jar over a memory pipe, plain HTTP, with this test as scan and egress.
#include "proxy/connection.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include "gateway/testing.h"
#include "io/memory.h"
#include "rt/nursery.h"
#include "rt/testing.h"

namespace belljar::proxy {
namespace {

using gateway::Frame;
using testing::HasSubstr;
using testing::StartsWith;

rt::Deadline soon() { return rt::Deadline::after(std::chrono::seconds(5)); }

/// A proxy with everything around one connection.
struct Bench {
  Bench() {
    policy.rules.push_back(gateway::allow_rule("allowed.test", policy::Scheme::http));
    policy.rules.back().methods = {"GET", "HEAD", "POST"};
    auto pair = os::create_socket_pair(SOCK_SEQPACKET).value();
    scan.emplace(io::MessageSocket::open(std::move(pair.first)).value());
    far.emplace(io::MessageSocket::open(std::move(pair.second)).value());
    auto mint_ = tls::LeafMint::create(tls::CertificateAuthority::create().value());
    mint.emplace(std::move(mint_).value());
    context.emplace(Context{.policy = policy,
                            .names = names,
                            .mint = *mint,
                            .scan = *scan,
                            .recorder = recorder,
                            .patience = {}});
    auto pipe = io::create_memory_pipe();
    client = std::move(pipe.first);
    inner = std::move(pipe.second);
  }

  /// Starts the proxy's side of a connection to this name.
  void serve(rt::Nursery& nursery, std::optional<std::string> name = "allowed.test") {
    Destination destination{.name = std::move(name), .address = "198.18.1.0", .port = 80};
    nursery.start([this, destination]() -> Result<void> {
      auto pair = TRY(os::create_socket_pair(SOCK_STREAM));
      Connection(*context, *inner, pair.first.get(), destination).serve();
      inner.reset();
      return {};
    });
  }
  /// What the client reads until this text, or the end.
  std::string read_until(std::string_view text) {
    std::array<std::uint8_t, 4096> buffer{};
    while (received.find(text) == std::string::npos) {
      client->set_read_deadline(soon());
      auto count = client->read_some(buffer);
      if (!count.ok() || *count == 0) break;
      received += as_text(BytesView(buffer).first(*count));
    }
    return std::exchange(received, {});
  }

  policy::Policy policy;
  dns::NamePool names;
  gateway::MemoryRecorder recorder;
  std::optional<tls::LeafMint> mint;
  std::optional<gateway::LinkOpener> scan;
  std::optional<gateway::LinkListener> far;
  std::optional<Context> context;
  std::unique_ptr<io::Stream> client;
  std::unique_ptr<io::Stream> inner;
  std::string received;
};

FIBER_TEST(ProxyConnection, ADenialIsDurableBeforeItIsAnswered) {
  Bench bench;
  rt::Event recorded;
  bool answered_before = false;
  bench.recorder.on_record = [&](const ledger::Event&, ledger::Durability durability) -> Result<void> {
    EXPECT_EQ(durability, ledger::Durability::durable);
    TRY(rt::sleep(std::chrono::milliseconds(20)));
    answered_before = !bench.received.empty();
    return {};
  };
  rt::Nursery nursery;
  bench.serve(nursery, "denied.test");
  TRY_OR_FAIL(io::write_text(*bench.client, "GET /a?secret=1 HTTP/1.1\r\nHost: denied.test\r\n\r\n"));
  EXPECT_THAT(bench.read_until("}\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_FALSE(answered_before);
  ASSERT_EQ(bench.recorder.events.size(), 1U);
  EXPECT_EQ(bench.recorder.events[0].path, "/a");
  EXPECT_EQ(bench.recorder.events[0].method, "GET");
}

FIBER_TEST(ProxyConnection, WithoutTheLedgerADenialStaysOne) {
  Bench bench;
  bench.recorder.on_record = [](const auto&, auto) -> Result<void> {
    return Error(ErrorCode::closed, "gone");
  };
  rt::Nursery nursery;
  bench.serve(nursery, "denied.test");
  TRY_OR_FAIL(io::write_text(*bench.client, "GET / HTTP/1.1\r\nHost: denied.test\r\n\r\n"));
  EXPECT_THAT(bench.read_until("}\n"), StartsWith("HTTP/1.1 503"));
}

FIBER_TEST(ProxyConnection, AnAllowedRequestIsAFrameAndItsAnswerComesBackInPieces) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  TRY_OR_FAIL(io::write_text(*bench.client,
                             "POST /v1/x%2Fy?q HTTP/1.1\r\nHost: ALLOWED.test\r\nContent-Length: 3\r\n"
                             "Connection: keep-alive, x-mine\r\nX-Mine: a\r\nX-Other: b\r\n\r\nabc"));
  auto link = bench.far->accept();
  ASSERT_TRUE(link.ok());
  auto head = std::get<gateway::RequestHead>((*link)->receive_frame(soon()).value());
  EXPECT_EQ(head.host, "allowed.test");
  EXPECT_EQ(head.path, "/v1/x%2Fy");
  EXPECT_EQ(head.query, "q");
  EXPECT_EQ(head.headers, (http::Headers{{"x-other", "b"}}));
  EXPECT_EQ(head.body, (gateway::BodySize{gateway::BodySize::Kind::sized, 3}));
  EXPECT_EQ(std::get<gateway::Body>((*link)->receive_frame(soon()).value()).bytes, to_bytes("abc"));
  EXPECT_TRUE(std::holds_alternative<gateway::End>((*link)->receive_frame(soon()).value()));

  gateway::ResponseHead answer;
  answer.body.kind = gateway::BodySize::Kind::streamed;
  TRY_OR_FAIL((*link)->send(answer, soon()));
  TRY_OR_FAIL((*link)->send_body(as_bytes("data: 1\n\n"), soon()));
  EXPECT_THAT(bench.read_until("data: 1\n\n"), HasSubstr("HTTP/1.1 200"));  // before the rest is there
  TRY_OR_FAIL((*link)->send_body(as_bytes("data: 2\n\n"), soon()));
  TRY_OR_FAIL((*link)->send(gateway::End{}, soon()));
  EXPECT_THAT(bench.read_until("0\r\n\r\n"), HasSubstr("data: 2\n\n"));

  // The same link carries the next request of the connection.
  TRY_OR_FAIL(io::write_text(*bench.client, "GET /next HTTP/1.1\r\nHost: allowed.test\r\n\r\n"));
  EXPECT_EQ(std::get<gateway::RequestHead>((*link)->receive_frame(soon()).value()).path, "/next");
}

FIBER_TEST(ProxyConnection, AnAnswerBeforeTheEndOfTheBodyReachesTheClient) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  TRY_OR_FAIL(io::write_text(
      *bench.client, "POST / HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 900000\r\n\r\nthe beginning"));
  auto link = bench.far->accept();
  ASSERT_TRUE(link.ok());
  TRY_OR_FAIL((*link)->send(gateway::ResponseHead{.status = 413, .headers = {}, .body = {}}, soon()));
  TRY_OR_FAIL((*link)->send(gateway::End{}, soon()));
  (*link)->close();
  auto answer = bench.read_until("\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413"));
}

FIBER_TEST(ProxyConnection, ABodyThatCanNotBeReadIsABadRequestAndEndsTheLink) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  TRY_OR_FAIL(io::write_text(*bench.client,
                             "POST / HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "3\r\nabc\r\nzz\r\n"));
  auto link = bench.far->accept();
  ASSERT_TRUE(link.ok());
  EXPECT_TRUE(std::holds_alternative<gateway::RequestHead>((*link)->receive_frame(soon()).value()));
  EXPECT_THAT(bench.read_until("}\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_TRUE(std::holds_alternative<gateway::Body>((*link)->receive_frame(soon()).value()));
  auto end = (*link)->receive(soon());
  EXPECT_TRUE(!end.ok() || !end->has_value());
}

FIBER_TEST(ProxyConnection, AnAnswerThatIsCutHasNoEnd) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery);
  TRY_OR_FAIL(io::write_text(*bench.client, "GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n"));
  auto link = bench.far->accept();
  ASSERT_TRUE(link.ok());
  gateway::ResponseHead answer;
  answer.body.kind = gateway::BodySize::Kind::streamed;
  TRY_OR_FAIL((*link)->send(answer, soon()));
  TRY_OR_FAIL((*link)->send_body(as_bytes("half"), soon()));
  TRY_OR_FAIL((*link)->send(gateway::Abort{"the server went away"}, soon()));
  auto all = bench.read_until("never");
  EXPECT_THAT(all, HasSubstr("half"));
  EXPECT_THAT(all, Not(HasSubstr("0\r\n\r\n")));
}

FIBER_TEST(ProxyConnection, WithoutScanARequestIsRefusedAndRecorded) {
  Bench bench;
  bench.far.reset();
  rt::Nursery nursery;
  bench.serve(nursery);
  TRY_OR_FAIL(io::write_text(*bench.client, "GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n"));
  EXPECT_THAT(bench.read_until("}\n"), StartsWith("HTTP/1.1 503"));
  ASSERT_EQ(bench.recorder.events.size(), 1U);
  EXPECT_EQ(bench.recorder.events[0].verdict, "deny");
}

FIBER_TEST(ProxyConnection, ContinueIsSaidOnlyToWhatMayPass) {
  Bench bench;
  Bench other;
  rt::Nursery nursery;
  bench.serve(nursery);
  constexpr auto kHead =
      " / HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n";
  TRY_OR_FAIL(io::write_text(*bench.client, "POST" + std::string(kHead)));
  EXPECT_THAT(bench.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 100"));

  other.serve(nursery);
  TRY_OR_FAIL(io::write_text(*other.client, "DELETE" + std::string(kHead)));
  EXPECT_THAT(other.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 403"));
}

FIBER_TEST(ProxyConnection, ToAnAddressNothingPasses) {
  Bench bench;
  rt::Nursery nursery;
  bench.serve(nursery, std::nullopt);
  TRY_OR_FAIL(io::write_text(*bench.client, "GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n"));
  EXPECT_THAT(bench.read_until("}\n"), StartsWith("HTTP/1.1 403"));
}

VIRTUAL_TIME_TEST(ProxyConnection, AClientThatSaysNothingIsNotWaitedForForLong) {
  Bench bench;
  rt::Nursery nursery;
  auto start = rt::now();
  bench.serve(nursery, "denied.test");
  TRY_OR_FAIL(nursery.join());
  EXPECT_LE(rt::now() - start, std::chrono::seconds(3));
  ASSERT_EQ(bench.recorder.events.size(), 1U);
  EXPECT_EQ(bench.recorder.events[0].kind, ledger::Kind::connection);
}

}  // namespace
}  // namespace belljar::proxy
