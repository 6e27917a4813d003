#include <algorithm>

#include <openssl/sha.h>

#include "tls/minting.h"
#include "tls/negotiation.h"

namespace belljar::tls {
namespace {

constexpr std::size_t kMostName = 253;
constexpr std::size_t kMostCommonName = 64;  // RFC 5280, ub-common-name

bool is_host_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

using AddressOwner = std::unique_ptr<ASN1_OCTET_STRING, Freer<&ASN1_OCTET_STRING_free>>;

AddressOwner as_address(std::string_view name) {
  AddressOwner address(a2i_IPADDRESS(std::string(name).c_str()));
  ERR_clear_error();
  return address;
}

// Built from values, never through OpenSSL's configuration syntax: a name can't say more than a name.
Result<void> add_alternative_name(X509* certificate, std::string_view name, AddressOwner address) {
  GeneralNamesOwner names(GENERAL_NAMES_new());
  GENERAL_NAME* entry = GENERAL_NAME_new();
  if (!names || entry == nullptr || sk_GENERAL_NAME_push(names.get(), entry) == 0) {
    GENERAL_NAME_free(entry);
    return openssl_failure("GENERAL_NAME_new");
  }
  if (address) {
    GENERAL_NAME_set0_value(entry, GEN_IPADD, address.release());
  } else {
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    if (text == nullptr) return openssl_failure("ASN1_IA5STRING_new");
    GENERAL_NAME_set0_value(entry, GEN_DNS, text);
    if (ASN1_STRING_set(text, name.data(), static_cast<int>(name.size())) != 1) {
      return openssl_failure("ASN1_STRING_set");
    }
  }
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) != 1) {
    return openssl_failure("X509_add1_ext_i2d");
  }
  return {};
}

Result<ContextOwner> create_context() {
  ContextOwner context(SSL_CTX_new(TLS_server_method()));
  if (!context) return openssl_failure("SSL_CTX_new");
  restrict_protocol(context.get());
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 1);
  SSL_CTX_set_alpn_select_cb(context.get(), &choose_protocol, nullptr);
  return context;
}

}  // namespace

Result<CertificateOwner> mint_leaf(const CertificateAuthority::State& authority, EVP_PKEY* leaf_key,
                                   std::string_view name, Validity validity) {
  AddressOwner address = as_address(name);
  if (!address && !is_host_name(name)) {
    return Error(ErrorCode::invalid_argument, "no certificate can be made for this name");
  }
  CertificateOwner leaf = TRY(draft_certificate(leaf_key, validity));
  X509* issuer = authority.certificate.get();
  if (X509_set_issuer_name(leaf.get(), X509_get_subject_name(issuer)) != 1) {
    return openssl_failure("X509_set_issuer_name");
  }
  if (name.size() <= kMostCommonName) TRY(set_common_name(X509_get_subject_name(leaf.get()), name));
  TRY(add_extension(leaf.get(), issuer, NID_basic_constraints, "critical,CA:FALSE"));
  TRY(add_extension(leaf.get(), issuer, NID_key_usage, "critical,digitalSignature"));
  TRY(add_extension(leaf.get(), issuer, NID_ext_key_usage, "serverAuth"));
  TRY(add_extension(leaf.get(), issuer, NID_subject_key_identifier, "hash"));
  TRY(add_extension(leaf.get(), issuer, NID_authority_key_identifier, "keyid:always"));
  TRY(add_alternative_name(leaf.get(), name, std::move(address)));
  if (X509_sign(leaf.get(), authority.key.get(), EVP_sha256()) == 0) return openssl_failure("X509_sign");
  return leaf;
}

Result<LeafMint> LeafMint::create(CertificateAuthority authority, std::size_t capacity) {
  CHECK(capacity > 0);
  KeyOwner key = TRY(generate_key());
  ContextOwner context = TRY(create_context());
  auto state = std::make_unique<State>(State{.authority = std::move(authority),
                                             .leaf_key = std::move(key),
                                             .context = std::move(context),
                                             .capacity = capacity,
                                             .recent = {},
                                             .by_name = {}});
  return LeafMint(std::move(state));
}

LeafMint::LeafMint(std::unique_ptr<State> state) : state_(std::move(state)) {}
LeafMint::~LeafMint() = default;
LeafMint::LeafMint(LeafMint&&) noexcept = default;
LeafMint& LeafMint::operator=(LeafMint&&) noexcept = default;

std::size_t LeafMint::cached() const { return state_->recent.size(); }

Result<SslOwner> LeafContexts::open(LeafMint& mint, std::string_view name) {
  LeafMint::State& state = *mint.state_;
  X509* certificate = TRY(leaf(state, name));
  SslOwner ssl(SSL_new(state.context.get()));
  if (!ssl || SSL_use_certificate(ssl.get(), certificate) != 1 ||
      SSL_use_PrivateKey(ssl.get(), state.leaf_key.get()) != 1) {
    return openssl_failure("SSL_new");
  }
  // A session made for one name must not be resumed for another.
  unsigned char name_hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(name.data()), name.size(), name_hash);
  if (SSL_set_session_id_context(ssl.get(), name_hash, sizeof name_hash) != 1) {
    return openssl_failure("SSL_set_session_id_context");
  }
  SSL_set_accept_state(ssl.get());
  return ssl;
}

Result<X509*> LeafContexts::leaf(LeafMint::State& state, std::string_view name) {
  if (auto known = state.by_name.find(name); known != state.by_name.end()) {
    state.recent.splice(state.recent.begin(), state.recent, known->second);
    return state.recent.front().certificate.get();
  }
  keep(state, name, TRY(mint_leaf(*state.authority.state_, state.leaf_key.get(), name, {})));
  return state.recent.front().certificate.get();
}

void LeafContexts::keep(LeafMint::State& state, std::string_view name, CertificateOwner certificate) {
  if (state.recent.size() >= state.capacity) {
    state.by_name.erase(state.recent.back().name);
    state.recent.pop_back();
  }
  state.recent.push_front({.name = std::string(name), .certificate = std::move(certificate)});
  state.by_name.emplace(state.recent.front().name, state.recent.begin());
}

Result<void> LeafContexts::replace(LeafMint& mint, std::string_view name, Validity validity) {
  LeafMint::State& state = *mint.state_;
  if (auto known = state.by_name.find(name); known != state.by_name.end()) {
    auto entry = known->second;
    state.by_name.erase(known);
    state.recent.erase(entry);
  }
  keep(state, name, TRY(mint_leaf(*state.authority.state_, state.leaf_key.get(), name, validity)));
  return {};
}

}  // namespace belljar::tls
