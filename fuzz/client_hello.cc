// Any bytes as the first ones of a connection: looking at them consumes nothing and does not depend on how
// they arrive, and the name we see is the one that OpenSSL, which will answer, sees.
#include "tls/client_hello.h"

#include <cstdint>
#include <optional>
#include <string>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/panic.h"
#include "io/memory.h"

using namespace belljar;

namespace {

std::string run(BytesView input, std::size_t piece) {
  io::MemoryStream stream(Bytes(input.begin(), input.end()), piece);
  io::BufferedReader reader(stream);
  auto seen = tls::peek_client_hello(reader);
  if (!seen.ok()) return seen.error().message();
  BytesView kept = reader.buffered();
  CHECK(!kept.empty() && kept.size() <= input.size());
  CHECK(as_text(kept) == as_text(input.first(kept.size())));
  auto* hello = std::get_if<tls::ClientHello>(&*seen);
  if (hello == nullptr) return "not TLS";
  CHECK(hello->server_name.size() <= 253);
  std::string log = hello->server_name + "|" + std::to_string(hello->highest_version);
  for (const std::string& protocol : hello->alpn) {
    CHECK(!protocol.empty());
    log += "|" + protocol;
  }
  return log;
}

/// The server name as OpenSSL understands these bytes; nothing where it does not come to choosing a
/// certificate.
std::optional<std::string> ask_openssl(BytesView input) {
  static SSL_CTX* const kContext = [] {
    SSL_CTX* made = SSL_CTX_new(TLS_server_method());
    CHECK(made != nullptr && SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION) == 1);
    SSL_CTX_set_cert_cb(
        made,
        [](SSL* ssl, void*) {
          const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
          static_cast<std::optional<std::string>*>(SSL_get_app_data(ssl))
              ->emplace(name == nullptr ? "" : name);
          return 0;
        },
        nullptr);
    return made;
  }();
  std::optional<std::string> name;
  SSL* ssl = SSL_new(kContext);
  BIO* from = BIO_new_mem_buf(input.data(), static_cast<int>(input.size()));
  BIO* to = BIO_new(BIO_s_mem());
  CHECK(ssl != nullptr && from != nullptr && to != nullptr);
  SSL_set_app_data(ssl, &name);
  SSL_set_bio(ssl, from, to);
  SSL_set_accept_state(ssl);
  SSL_do_handshake(ssl);
  SSL_free(ssl);
  ERR_clear_error();
  return name;
}

void check_same_name(BytesView input) {
  io::MemoryStream stream(Bytes(input.begin(), input.end()));
  io::BufferedReader reader(stream);
  auto seen = tls::peek_client_hello(reader);
  if (!seen.ok() || !std::holds_alternative<tls::ClientHello>(*seen)) return;
  auto name = ask_openssl(input);
  if (!name) return;
  for (char& c : *name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (name->size() > 1 && name->back() == '.') name->pop_back();
  CHECK(*name == std::get<tls::ClientHello>(*seen).server_name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  BytesView input(data, size);
  CHECK(run(input, SIZE_MAX) == run(input, 1 + input.size() % 31));
  check_same_name(input);
  (void)tls::parse_client_hello(input).ok();
  return 0;
}
