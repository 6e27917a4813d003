// What both sides of a handshake agree on: versions, curves, ALPN. Included by the .cc files of this folder
// only.
#pragma once

#include <string>
#include <vector>

#include "tls/openssl.h"

namespace belljar::tls {

/// TLS 1.2 and 1.3, no renegotiation, no compression; buffers are given back while a connection is idle.
void restrict_protocol(SSL_CTX* context);

/// The protocols as they go over the wire; `invalid_argument` when one is empty or longer than 255 bytes.
Result<std::string> encode_protocols(const std::vector<std::string>& protocols);

/// ALPN as the server: the first of ours (encode_protocols, set by offer_protocols) that the client offers.
int choose_protocol(SSL* ssl, const unsigned char** chosen, unsigned char* chosen_length,
                    const unsigned char* offered, unsigned int offered_length, void*);
/// Borrowed until the handshake is over.
void set_own_protocols(SSL* ssl, const std::string* encoded);

}  // namespace belljar::tls
