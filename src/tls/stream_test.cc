#include "tls/stream.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "io/buffered.h"
#include "io/memory.h"
#include "rt/loop.h"
#include "rt/nursery.h"
#include "tls/client_hello.h"
#include "tls/minting.h"

namespace belljar::tls {
namespace {

using Side = std::function<Result<void>(io::Stream&)>;

class Handshake : public testing::Test {
 protected:
  void SetUp() override {
    CertificateAuthority authority = CertificateAuthority::create().value();
    authority_pem_ = authority.certificate_pem();
    mint_.emplace(LeafMint::create(std::move(authority)).value());
    trust_.emplace(TrustStore::from_pem(authority_pem_).value());
  }

  // Both sides as fibers over a pipe; each one's outcome, and both streams end when both have.
  void run(const Side& server, const Side& client) {
    rt::Loop loop(clock_);
    Result<void> outcome = loop.run([&]() -> Result<void> {
      auto [near, far] = io::create_memory_pipe(capacity_);
      near->set_deadline(rt::Deadline::after(std::chrono::seconds(30)));
      far->set_deadline(rt::Deadline::after(std::chrono::seconds(30)));
      rt::Nursery nursery;
      nursery.start([&, stream = near.get()]() -> Result<void> {
        server_outcome_ = server(*stream);
        (void)stream->close_write().ok();
        return {};
      });
      nursery.start([&, stream = far.get()]() -> Result<void> {
        client_outcome_ = client(*stream);
        (void)stream->close_write().ok();
        return {};
      });
      return nursery.join();
    });
    ASSERT_TRUE(outcome.ok()) << outcome.error().to_string();
  }

  Side accept_only(const std::string& name = "a.example", std::vector<std::string> alpn = {}) {
    return [this, name, alpn](io::Stream& stream) -> Result<void> {
      (void)TRY(accept_tls(stream, *mint_, name, alpn));
      return {};
    };
  }
  Side connect_only(const std::string& host = "a.example", std::vector<std::string> alpn = {}) {
    return [this, host, alpn](io::Stream& stream) -> Result<void> {
      (void)TRY(connect_tls(stream, host, *trust_, alpn));
      return {};
    };
  }
  void expect_both_ok() {
    EXPECT_TRUE(server_outcome_.ok()) << server_outcome_.error().to_string();
    EXPECT_TRUE(client_outcome_.ok()) << client_outcome_.error().to_string();
  }

  rt::VirtualClock clock_;
  std::size_t capacity_ = 64U << 10;
  std::string authority_pem_;
  std::optional<LeafMint> mint_;
  std::optional<TrustStore> trust_;
  Result<void> server_outcome_;
  Result<void> client_outcome_;
};

Result<std::string> read_all(io::Reader& reader) {
  std::string text;
  Bytes buffer(1000);
  for (;;) {
    std::size_t count = TRY(reader.read_some(buffer));
    if (count == 0) return text;
    text += as_text(BytesView(buffer).first(count));
  }
}

TEST_F(Handshake, CarriesBytesBothWaysAndHalfClose) {
  std::string heard_by_server, heard_by_client;
  run(
      [&](io::Stream& stream) -> Result<void> {
        auto tls = TRY(accept_tls(stream, *mint_, "a.example", {"h2", "http/1.1"}));
        EXPECT_EQ(tls->alpn(), "http/1.1");
        EXPECT_EQ(tls->version(), "TLSv1.3");
        heard_by_server = TRY(read_all(*tls));
        EXPECT_FALSE(tls->truncated());
        TRY(io::write_text(*tls, "answer after the end"));  // the other direction is still open
        return tls->close_write();
      },
      [&](io::Stream& stream) -> Result<void> {
        auto tls = TRY(connect_tls(stream, "a.example", *trust_, {"http/1.1"}));
        TRY(io::write_text(*tls, "question"));
        TRY(tls->close_write());
        heard_by_client = TRY(read_all(*tls));
        EXPECT_FALSE(tls->truncated());
        return {};
      });
  expect_both_ok();
  EXPECT_EQ(heard_by_server, "question");
  EXPECT_EQ(heard_by_client, "answer after the end");
}

TEST_F(Handshake, RefusesAnotherName) {
  run(accept_only("b.example"), connect_only("a.example"));
  EXPECT_EQ(client_outcome_.error().code(), ErrorCode::permission_denied);
  EXPECT_EQ(client_outcome_.error().message(), "the certificate of a.example was issued for another name");
  EXPECT_FALSE(server_outcome_.ok());
}

TEST_F(Handshake, RefusesAnUnknownAuthority) {
  CertificateAuthority other = CertificateAuthority::create().value();
  trust_.emplace(TrustStore::from_pem(other.certificate_pem()).value());
  run(accept_only(), connect_only());
  EXPECT_EQ(client_outcome_.error().code(), ErrorCode::permission_denied);
  EXPECT_NE(client_outcome_.error().message().find("is not trusted"), std::string::npos)
      << client_outcome_.error().message();
  EXPECT_EQ(server_outcome_.error().code(), ErrorCode::malformed);
  EXPECT_NE(server_outcome_.error().message().find("alert"), std::string::npos)
      << server_outcome_.error().message();
}

TEST_F(Handshake, AnAuthorityIsTrustedForWhatItsEntryOfTheBundleSays) {
  auto entry = [this](auto say) {
    std::unique_ptr<BIO, int (*)(BIO*)> in(BIO_new_mem_buf(authority_pem_.data(), -1), &BIO_free);
    std::unique_ptr<BIO, int (*)(BIO*)> out(BIO_new(BIO_s_mem()), &BIO_free);
    std::unique_ptr<X509, void (*)(X509*)> authority(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr),
                                                     &X509_free);
    EXPECT_EQ(say(authority.get(), OBJ_nid2obj(NID_server_auth)), 1);
    EXPECT_EQ(PEM_write_bio_X509_AUX(out.get(), authority.get()), 1);
    char* text = nullptr;
    auto size = BIO_get_mem_data(out.get(), &text);
    return TrustStore::from_pem({text, static_cast<std::size_t>(size)}).value();
  };
  trust_.emplace(entry(&X509_add1_trust_object));
  run(accept_only(), connect_only());
  expect_both_ok();
  trust_.emplace(entry(&X509_add1_reject_object));
  run(accept_only(), connect_only());
  EXPECT_FALSE(client_outcome_.ok());
}

TEST_F(Handshake, RefusesExpiredAndFutureLeaves) {
  for (Validity validity : {Validity{.from = -3 * kDaySeconds, .until = -kDaySeconds},
                            Validity{.from = kDaySeconds, .until = 2 * kDaySeconds}}) {
    ASSERT_TRUE(LeafContexts::replace(*mint_, "a.example", validity).ok());
    run(accept_only(), connect_only());
    EXPECT_EQ(client_outcome_.error().code(), ErrorCode::permission_denied);
    const bool expired = validity.until < 0;
    EXPECT_NE(client_outcome_.error().message().find(expired ? "expired" : "not yet valid"),
              std::string::npos)
        << client_outcome_.error().message();
  }
}

TEST_F(Handshake, VerifiesAddresses) {
  run(accept_only("192.0.2.7"), connect_only("192.0.2.7"));
  expect_both_ok();
  run(accept_only("192.0.2.7"), connect_only("192.0.2.8"));
  EXPECT_EQ(client_outcome_.error().code(), ErrorCode::permission_denied);
  run(accept_only("2001:db8::1"), connect_only("2001:db8::1"));
  expect_both_ok();
}

TEST_F(Handshake, RefusesProtocolsInCommonToNobody) {
  run(accept_only("a.example", {"http/1.1"}), connect_only("a.example", {"h2"}));
  EXPECT_FALSE(server_outcome_.ok());
  EXPECT_EQ(client_outcome_.error().code(), ErrorCode::malformed);
  run(accept_only("a.example", {"http/1.1"}), connect_only("a.example", {}));
  expect_both_ok();
}

TEST_F(Handshake, TellsTruncationFromTheEnd) {
  std::string heard;
  bool truncated = false;
  run(
      [&](io::Stream& stream) -> Result<void> {
        auto tls = TRY(accept_tls(stream, *mint_, "a.example", {}));
        TRY(io::write_text(*tls, "half of it"));
        return tls->flush();  // and no close_notify
      },
      [&](io::Stream& stream) -> Result<void> {
        auto tls = TRY(connect_tls(stream, "a.example", *trust_, {}));
        heard = TRY(read_all(*tls));
        truncated = tls->truncated();
        return {};
      });
  expect_both_ok();
  EXPECT_EQ(heard, "half of it");
  EXPECT_TRUE(truncated);
}

TEST_F(Handshake, MovesMuchBothWaysAtOnce) {
  capacity_ = 5000;  // far less than a record: every write waits many times
  std::string up(3U << 20, 'u'), down(3U << 20, 'd');
  for (std::size_t i = 0; i < up.size(); i += 1000)
    up[i] = down[i] = static_cast<char>(i / 1000);
  std::string heard_up, heard_down;
  auto both = [](TlsStream& tls, const std::string& sent, std::string& heard) -> Result<void> {
    rt::Nursery nursery;
    nursery.start([&]() -> Result<void> {
      TRY(io::write_text(tls, sent));
      return tls.close_write();
    });
    nursery.start([&]() -> Result<void> {
      heard = TRY(read_all(tls));
      return {};
    });
    return nursery.join();
  };
  run(
      [&](io::Stream& stream) -> Result<void> {
        auto tls = TRY(accept_tls(stream, *mint_, "a.example", {}));
        return both(*tls, down, heard_up);
      },
      [&](io::Stream& stream) -> Result<void> {
        auto tls = TRY(connect_tls(stream, "a.example", *trust_, {}));
        return both(*tls, up, heard_down);
      });
  expect_both_ok();
  EXPECT_EQ(heard_up == up, true);
  EXPECT_EQ(heard_down == down, true);
}

TEST_F(Handshake, GivesUpAtTheDeadline) {
  run(
      [](io::Stream& stream) -> Result<void> {
        return read_all(stream).ok() ? Result<void>() : Result<void>();
      },
      [&](io::Stream& stream) -> Result<void> {
        stream.set_deadline(rt::Deadline::after(std::chrono::seconds(2)));
        return connect_only()(stream);
      });
  EXPECT_EQ(client_outcome_.error().code(), ErrorCode::timed_out);
}

TEST_F(Handshake, SurvivesAPeerThatIsNone) {
  run(
      [](io::Stream& stream) -> Result<void> {
        return io::write_text(stream, "HTTP/1.1 400 Bad Request\r\n\r\n");
      },
      connect_only());
  EXPECT_EQ(client_outcome_.error().code(), ErrorCode::malformed);
  run([](io::Stream&) -> Result<void> { return {}; }, connect_only());
  EXPECT_EQ(client_outcome_.error().code(), ErrorCode::closed);
}

TEST_F(Handshake, AcceptsAfterThePeek) {
  run(
      [&](io::Stream& stream) -> Result<void> {
        io::BufferedReader reader(stream);
        auto seen = TRY(peek_client_hello(reader));
        const auto& hello = std::get<ClientHello>(seen);
        EXPECT_EQ(hello.server_name, "a.example");
        EXPECT_EQ(hello.alpn, std::vector<std::string>{"http/1.1"});
        EXPECT_EQ(hello.highest_version, 0x0304);
        (void)TRY(accept_tls({reader, stream}, *mint_, hello.server_name, {"http/1.1"}));
        return {};
      },
      connect_only("a.example", {"http/1.1"}));
  expect_both_ok();
}

TEST_F(Handshake, ResumesForTheSameNameOnly) {
  bool resumed = false;
  auto serve = [&](const std::string& name) -> Side {
    return [&, name](io::Stream& stream) -> Result<void> {
      auto tls = TRY(accept_tls(stream, *mint_, name, {}));
      TRY(io::write_text(*tls, "x"));
      return tls->close_write();
    };
  };
  auto ask = [&](const std::string& name) -> Side {
    return [&, name](io::Stream& stream) -> Result<void> {
      auto tls = TRY(connect_tls(stream, name, *trust_, {}));
      TRY(read_all(*tls));
      resumed = tls->resumed();
      return {};
    };
  };
  run(serve("a.example"), ask("a.example"));
  EXPECT_FALSE(resumed);
  run(serve("a.example"), ask("a.example"));
  EXPECT_TRUE(resumed);
  run(serve("b.example"), ask("b.example"));
  EXPECT_FALSE(resumed);
  run(serve("b.example"), ask("a.example"));
  EXPECT_EQ(client_outcome_.error().code(), ErrorCode::permission_denied)
      << "a session for a name must not make up for its certificate";
}

}  // namespace
}  // namespace belljar::tls
