#include "tls/openssl.h"

#include "base/panic.h"

namespace belljar::tls {

void prepare_openssl() {
  static const bool kPrepared = OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_LOAD_SSL_STRINGS |
                                                     OPENSSL_INIT_LOAD_CRYPTO_STRINGS,
                                                 nullptr) == 1;
  CHECK(kPrepared);
}

void prepare_crypto() {
  static const bool kPrepared =
      OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr) == 1;
  CHECK(kPrepared);
}

std::string take_openssl_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

Error openssl_failure(const char* call) {
  return Error(ErrorCode::internal, std::string(call) + ": " + take_openssl_error());
}

}  // namespace belljar::tls
