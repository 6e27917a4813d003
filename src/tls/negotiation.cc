#include "tls/negotiation.h"

#include "base/panic.h"

namespace belljar::tls {
namespace {

int protocols_index() {
  static const int kIndex = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return kIndex;
}

}  // namespace

void restrict_protocol(SSL_CTX* context) {
  CHECK(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1);
  SSL_CTX_set_options(context,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  char groups[] = "X25519:P-256:P-384";  // the macro takes constness away
  CHECK(SSL_CTX_set1_groups_list(context, groups) == 1);
}

Result<std::string> encode_protocols(const std::vector<std::string>& protocols) {
  std::string encoded;
  for (const std::string& protocol : protocols) {
    if (protocol.empty() || protocol.size() > 255) {
      return Error(ErrorCode::invalid_argument, "an ALPN protocol has 1 to 255 bytes");
    }
    encoded += static_cast<char>(protocol.size());
    encoded += protocol;
  }
  return encoded;
}

int choose_protocol(SSL* ssl, const unsigned char** chosen, unsigned char* chosen_length,
                    const unsigned char* offered, unsigned int offered_length, void*) {
  const auto* own = static_cast<const std::string*>(SSL_get_ex_data(ssl, protocols_index()));
  if (own == nullptr || own->empty()) return SSL_TLSEXT_ERR_NOACK;
  unsigned char* selected = nullptr;
  const int outcome =
      SSL_select_next_proto(&selected, chosen_length, reinterpret_cast<const unsigned char*>(own->data()),
                            static_cast<unsigned int>(own->size()), offered, offered_length);
  if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = selected;
  return SSL_TLSEXT_ERR_OK;
}

void set_own_protocols(SSL* ssl, const std::string* encoded) {
  CHECK(SSL_set_ex_data(ssl, protocols_index(), const_cast<std::string*>(encoded)) == 1);
}

}  // namespace belljar::tls
