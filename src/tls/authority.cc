#include "tls/authority.h"

#include <openssl/pem.h>
#include <openssl/rand.h>

#include "base/panic.h"
#include "tls/minting.h"

namespace belljar::tls {
namespace {

constexpr Validity kAuthorityValidity = {.from = -kDaySeconds, .until = 3650 * kDaySeconds};

Result<std::string> text_of(BIO* memory) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(memory, &bytes);
  if (length <= 0) return openssl_failure("BIO_get_mem_data");
  return std::string(bytes, static_cast<std::size_t>(length));
}

Result<std::string> encode_certificate(X509* certificate) {
  BioOwner memory(BIO_new(BIO_s_mem()));
  if (!memory || PEM_write_bio_X509(memory.get(), certificate) != 1)
    return openssl_failure("PEM_write_bio_X509");
  return text_of(memory.get());
}

// A new one for each certificate: two with one serial from issuers of one name are refused by NSS.
Result<void> set_random_serial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return openssl_failure("RAND_bytes");
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7F) | 0x40);  // positive, and always 16 bytes long
  std::unique_ptr<BIGNUM, Freer<&BN_free>> number(BN_bin2bn(bytes, sizeof bytes, nullptr));
  if (!number || BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) == nullptr) {
    return openssl_failure("BN_to_ASN1_INTEGER");
  }
  return {};
}

BioOwner reader_of(std::string_view text) {
  if (text.size() > INT32_MAX) return nullptr;
  return BioOwner(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace

Result<KeyOwner> generate_key() {
  // What the macro EVP_EC_gen says, without its cast.
  KeyOwner key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  if (!key) return openssl_failure("EVP_PKEY_Q_keygen");
  return key;
}

Result<CertificateOwner> draft_certificate(EVP_PKEY* key, Validity validity) {
  CertificateOwner certificate(X509_new());
  if (!certificate || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), validity.from) == nullptr ||
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity.until) == nullptr ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return openssl_failure("X509_new");
  }
  TRY(set_random_serial(certificate.get()));
  return certificate;
}

Result<void> set_common_name(X509_NAME* holder, std::string_view name) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(name.data());
  if (X509_NAME_add_entry_by_NID(holder, NID_commonName, MBSTRING_UTF8, bytes, static_cast<int>(name.size()),
                                 -1, 0) != 1) {
    return openssl_failure("X509_NAME_add_entry_by_NID");
  }
  return {};
}

Result<void> add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  ExtensionOwner extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1)
    return openssl_failure("X509_add_ext");
  return {};
}

void prepare_making_only() {
  const bool prepared =
      OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
                              OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS,
                          nullptr) == 1;
  CHECK(prepared);
}

Result<CertificateAuthority> CertificateAuthority::create(std::string_view common_name) {
  prepare_crypto();
  if (common_name.empty() || common_name.size() > 64) {
    return Error(ErrorCode::invalid_argument, "an authority's name has 1 to 64 bytes");
  }
  auto state = std::make_unique<State>();
  state->key = TRY(generate_key());
  state->certificate = TRY(draft_certificate(state->key.get(), kAuthorityValidity));
  X509* certificate = state->certificate.get();
  TRY(set_common_name(X509_get_subject_name(certificate), common_name));
  if (X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) != 1) {
    return openssl_failure("X509_set_issuer_name");
  }
  TRY(add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0"));
  TRY(add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign"));
  TRY(add_extension(certificate, certificate, NID_subject_key_identifier, "hash"));
  if (X509_sign(certificate, state->key.get(), EVP_sha256()) == 0) return openssl_failure("X509_sign");
  state->pem = TRY(encode_certificate(certificate));
  return CertificateAuthority(std::move(state));
}

Result<CertificateAuthority> CertificateAuthority::load(std::string_view certificate_pem,
                                                        const Secret& key_pem) {
  prepare_openssl();
  auto state = std::make_unique<State>();
  BioOwner certificate_text = reader_of(certificate_pem);
  BioOwner key_text = reader_of(key_pem.reveal());
  if (!certificate_text || !key_text)
    return Error(ErrorCode::malformed, "an authority's certificate is too long");
  state->certificate.reset(PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
  // The empty pass phrase keeps OpenSSL from asking a terminal for one.
  char no_phrase[] = "";
  state->key.reset(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, no_phrase));
  if (!state->certificate || !state->key) {
    return Error(ErrorCode::malformed, "the authority can't be read: " + take_openssl_error());
  }
  if (X509_check_private_key(state->certificate.get(), state->key.get()) != 1) {
    ERR_clear_error();
    return Error(ErrorCode::malformed, "the authority's key is not that of its certificate");
  }
  if (X509_check_ca(state->certificate.get()) != 1) {
    return Error(ErrorCode::malformed, "the certificate is not an authority's");
  }
  state->pem = TRY(encode_certificate(state->certificate.get()));
  return CertificateAuthority(std::move(state));
}

CertificateAuthority::CertificateAuthority(std::unique_ptr<State> state) : state_(std::move(state)) {}
CertificateAuthority::~CertificateAuthority() = default;
CertificateAuthority::CertificateAuthority(CertificateAuthority&&) noexcept = default;
CertificateAuthority& CertificateAuthority::operator=(CertificateAuthority&&) noexcept = default;

const std::string& CertificateAuthority::certificate_pem() const { return state_->pem; }

Secret CertificateAuthority::key_pem() const {
  BioOwner memory(BIO_new(BIO_s_secmem()));
  CHECK(memory != nullptr);
  CHECK(PEM_write_bio_PKCS8PrivateKey(memory.get(), state_->key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr) == 1);
  return Secret(text_of(memory.get()).value());
}

}  // namespace belljar::tls
