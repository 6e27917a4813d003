#include "tls/trust_store.h"

#include <algorithm>

#include <openssl/pem.h>

#include "base/panic.h"
#include "tls/negotiation.h"
#include "tls/trust_store_state.h"

namespace belljar::tls {
namespace {

constexpr std::size_t kMostSessions = 256;
constexpr std::size_t kMostSessionsOfHost = 4;

int host_index() {
  static const int kIndex = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return kIndex;
}

// OpenSSL hands over each ticket that a server sends. Answering 1 takes it.
int keep_session(SSL* ssl, SSL_SESSION* session) {
  auto* state = static_cast<TrustStore::State*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  const auto* host = static_cast<const std::string*>(SSL_get_ex_data(ssl, host_index()));
  if (state == nullptr || host == nullptr || SSL_SESSION_is_resumable(session) != 1) return 0;
  auto& sessions = state->sessions;
  auto of_host = [&](const TrustStore::State::Session& kept) { return kept.host == *host; };
  if (static_cast<std::size_t>(std::count_if(sessions.begin(), sessions.end(), of_host)) >=
      kMostSessionsOfHost) {
    sessions.erase(std::find_if(sessions.begin(), sessions.end(), of_host));
  }
  if (sessions.size() >= kMostSessions) sessions.pop_front();
  sessions.push_back({.host = *host, .session = SessionOwner(session)});
  return 1;
}

// What the macro SSL_set_tlsext_host_name says, without its cast.
long set_server_name(SSL* ssl, const std::string& host) {
  return SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(host.c_str()));
}

SessionOwner take_session(TrustStore::State& state, const std::string& host) {
  auto newest = std::find_if(state.sessions.rbegin(), state.sessions.rend(),
                             [&](const TrustStore::State::Session& kept) { return kept.host == host; });
  if (newest == state.sessions.rend()) return nullptr;
  SessionOwner session = std::move(newest->session);
  state.sessions.erase(std::next(newest).base());
  return session;
}

// Every block of the bundle, whatever it is; those that are no certificate are counted as skipped.
void add_certificates(TrustStore::State& state, std::string_view bundle) {
  BioOwner text(BIO_new_mem_buf(bundle.data(), static_cast<int>(bundle.size())));
  CHECK(text != nullptr);
  X509_STORE* store = SSL_CTX_get_cert_store(state.context.get());
  for (;;) {
    char* name = nullptr;
    char* header = nullptr;
    unsigned char* bytes = nullptr;
    long length = 0;
    if (PEM_read_bio(text.get(), &name, &header, &bytes, &length) != 1) {
      const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
      ERR_clear_error();
      if (at_end) return;
      ++state.skipped;
      if (BIO_eof(text.get()) != 0) return;
      continue;
    }
    const std::string_view kind(name);
    const unsigned char* position = bytes;
    CertificateOwner certificate;
    if (kind == PEM_STRING_X509 || kind == PEM_STRING_X509_OLD)
      certificate.reset(d2i_X509(nullptr, &position, length));
    else if (kind == PEM_STRING_X509_TRUSTED)  // says itself what it is trusted for, or that it is not
      certificate.reset(d2i_X509_AUX(nullptr, &position, length));
    const bool added = certificate && X509_STORE_add_cert(store, certificate.get()) == 1;
    ++(added ? state.size : state.skipped);
    ERR_clear_error();
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_free(bytes);
  }
}

Result<ContextOwner> create_context() {
  ContextOwner context(SSL_CTX_new(TLS_client_method()));
  if (!context) return openssl_failure("SSL_CTX_new");
  restrict_protocol(context.get());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context.get(), &keep_session);
  // Whoever put an intermediate authority into the bundle trusts it; curl and Go see it so too.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  return context;
}

}  // namespace

Result<TrustStore> TrustStore::from_pem(std::string_view bundle) {
  prepare_openssl();
  if (bundle.size() > (64U << 20))
    return Error(ErrorCode::limit_exceeded, "a trust store of more than 64 MiB");
  auto state = std::make_shared<State>();
  state->context = TRY(create_context());
  SSL_CTX_set_app_data(state->context.get(), state.get());
  add_certificates(*state, bundle);
  if (state->size == 0) return Error(ErrorCode::malformed, "the trust store has no certificate");
  return TrustStore(std::move(state));
}

TrustStore::TrustStore(std::shared_ptr<State> state) : state_(std::move(state)) {}
TrustStore::~TrustStore() = default;
TrustStore::TrustStore(TrustStore&&) noexcept = default;
TrustStore& TrustStore::operator=(TrustStore&&) noexcept = default;

std::size_t TrustStore::size() const { return state_->size; }
std::size_t TrustStore::skipped() const { return state_->skipped; }

Result<SslOwner> ClientContext::open(const std::shared_ptr<TrustStore::State>& state,
                                     const std::string& host) {
  SslOwner ssl(SSL_new(state->context.get()));
  if (!ssl) return openssl_failure("SSL_new");
  X509_VERIFY_PARAM* expected = SSL_get0_param(ssl.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) != 1) {
    ERR_clear_error();
    // The subject's common name is no host name; RFC 9525 section 6.4.4.
    X509_VERIFY_PARAM_set_hostflags(
        expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (host.empty() || SSL_set1_host(ssl.get(), host.c_str()) != 1 ||
        set_server_name(ssl.get(), host) != 1) {
      return openssl_failure("SSL_set1_host");
    }
  }
  CHECK(SSL_set_ex_data(ssl.get(), host_index(), const_cast<std::string*>(&host)) == 1);
  if (SessionOwner session = take_session(*state, host)) SSL_set_session(ssl.get(), session.get());
  SSL_set_connect_state(ssl.get());
  return ssl;
}

}  // namespace belljar::tls
