#include "tls/stream.h"

#include <algorithm>
#include <string>

#include "base/panic.h"
#include "tls/engine.h"
#include "tls/minting.h"
#include "tls/negotiation.h"
#include "tls/trust_store_state.h"

namespace belljar::tls {
namespace {

constexpr std::size_t kBatch = 64U << 10;

class EngineStream final : public TlsStream {
 public:
  explicit EngineStream(Transport transport) : transport_(transport) {}

  Result<void> accept(LeafMint& mint, std::string_view name, const std::vector<std::string>& alpn);
  Result<void> connect(std::string_view host, TrustStore& trust, const std::vector<std::string>& alpn);

  Result<std::size_t> read_some(std::span<std::uint8_t> buffer) override;
  Result<void> write(BytesView bytes) override;
  Result<void> flush() override;
  Result<void> close_write() override;
  void set_read_deadline(rt::Deadline deadline) override { transport_.reader.set_read_deadline(deadline); }
  void set_write_deadline(rt::Deadline deadline) override { transport_.writer.set_write_deadline(deadline); }

  bool truncated() const override { return truncated_; }
  const std::string& alpn() const override { return alpn_; }
  std::string version() const override { return SSL_get_version(engine_->ssl()); }
  bool resumed() const override { return SSL_session_reused(engine_->ssl()) == 1; }

 private:
  Result<void> handshake();
  Result<void> receive();
  Result<void> send();

  Transport transport_;
  std::string host_;                          // of the client side; sessions are kept under it
  std::shared_ptr<TrustStore::State> trust_;  // likewise
  std::unique_ptr<Engine> engine_;            // after what it refers to
  std::string alpn_;
  bool ended_ = false;
  bool truncated_ = false;
  bool sending_ = false;
};

Result<void> EngineStream::receive() {
  std::span<std::uint8_t> room = engine_->room();
  engine_->received(TRY(transport_.reader.read_some(room)));
  return {};
}

// One fiber at a time: what is written while this one waits is sent by it too, in order.
Result<void> EngineStream::send() {
  if (sending_) return {};
  sending_ = true;
  Result<void> sent;
  while (sent.ok() && engine_->outgoing() > 0) {
    Bytes batch = engine_->take_outgoing();
    sent = transport_.writer.write(batch);
  }
  sending_ = false;
  return sent;
}

Result<void> EngineStream::handshake() {
  for (;;) {
    const Progress progress = engine_->handshake();
    // An alert that says why it failed should reach the peer, but whether it does changes nothing here.
    Result<void> sent = flush();
    switch (progress) {
      case Progress::done: {
        TRY(std::move(sent));
        const unsigned char* chosen = nullptr;
        unsigned int length = 0;
        SSL_get0_alpn_selected(engine_->ssl(), &chosen, &length);
        if (length > 0) alpn_.assign(reinterpret_cast<const char*>(chosen), length);
        return {};
      }
      case Progress::wants_input:
        TRY(std::move(sent));
        TRY(receive());
        break;
      case Progress::peer_closed:
      case Progress::cut:
        return Error(ErrorCode::closed, "the peer closed the connection within the TLS handshake");
      case Progress::failed:
        return Error(ErrorCode::malformed, "the TLS handshake failed: " + engine_->reason());
    }
  }
}

Result<std::size_t> EngineStream::read_some(std::span<std::uint8_t> buffer) {
  CHECK(!buffer.empty());
  while (!ended_) {
    std::size_t count = 0;
    switch (engine_->read(buffer, count)) {
      case Progress::done:
        return count;
      case Progress::wants_input:
        TRY(receive());
        break;
      case Progress::peer_closed:
        ended_ = true;
        break;
      case Progress::cut:
        ended_ = truncated_ = true;
        break;
      case Progress::failed:
        (void)send().ok();  // the alert
        return Error(ErrorCode::malformed, "TLS: " + engine_->reason());
    }
  }
  return std::size_t{0};
}

Result<void> EngineStream::write(BytesView bytes) {
  while (!bytes.empty()) {
    BytesView part = bytes.first(std::min(bytes.size(), kBatch));
    bytes = bytes.subspan(part.size());
    if (engine_->write(part) != Progress::done) {
      return Error(ErrorCode::closed, "TLS: nothing more can be written: " + engine_->reason());
    }
    if (engine_->outgoing() >= kBatch) TRY(send());
  }
  return {};
}

Result<void> EngineStream::flush() {
  TRY(send());
  return transport_.writer.flush();
}

Result<void> EngineStream::close_write() {
  engine_->close();
  return flush();
}

// What went wrong with the certificate, where that was it.
Error explain(Error error, SSL* ssl, const std::string& host) {
  const long verdict = SSL_get_verify_result(ssl);
  if (verdict == X509_V_OK || error.code() != ErrorCode::malformed) return error;
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    return Error(ErrorCode::permission_denied, "the certificate of " + host + " was issued for another name");
  }
  return Error(ErrorCode::permission_denied,
               "the certificate of " + host + " is not trusted: " + X509_verify_cert_error_string(verdict));
}

Result<void> EngineStream::accept(LeafMint& mint, std::string_view name,
                                  const std::vector<std::string>& alpn) {
  const std::string protocols = TRY(encode_protocols(alpn));
  SslOwner ssl = TRY(LeafContexts::open(mint, name));
  set_own_protocols(ssl.get(), &protocols);
  engine_ = TRY(Engine::create(std::move(ssl)));
  return handshake();
}

Result<void> EngineStream::connect(std::string_view host, TrustStore& trust,
                                   const std::vector<std::string>& alpn) {
  const std::string protocols = TRY(encode_protocols(alpn));
  host_ = host;
  trust_ = ClientContext::state_of(trust);
  SslOwner ssl = TRY(ClientContext::open(trust_, host_));
  // Unlike its siblings this function answers 0 when it has succeeded.
  if (!protocols.empty() &&
      SSL_set_alpn_protos(ssl.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                          static_cast<unsigned int>(protocols.size())) != 0) {
    return openssl_failure("SSL_set_alpn_protos");
  }
  engine_ = TRY(Engine::create(std::move(ssl)));
  Result<void> done = handshake();
  if (!done.ok()) return explain(std::move(done).error(), engine_->ssl(), host_);
  // OpenSSL takes what the server chose for granted.
  if (!alpn_.empty() && std::find(alpn.begin(), alpn.end(), alpn_) == alpn.end()) {
    return Error(ErrorCode::malformed, "the server chose a protocol that was not offered");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TlsStream>> accept_tls(Transport transport, LeafMint& mint, std::string_view name,
                                              const std::vector<std::string>& alpn) {
  auto stream = std::make_unique<EngineStream>(transport);
  TRY(stream->accept(mint, name, alpn));
  return std::unique_ptr<TlsStream>(std::move(stream));
}

Result<std::unique_ptr<TlsStream>> connect_tls(Transport transport, std::string_view host, TrustStore& trust,
                                               const std::vector<std::string>& alpn) {
  auto stream = std::make_unique<EngineStream>(transport);
  TRY(stream->connect(host, trust, alpn));
  return std::unique_ptr<TlsStream>(std::move(stream));
}

}  // namespace belljar::tls
