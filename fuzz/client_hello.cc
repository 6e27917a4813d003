// Any bytes as the first ones of a connection: looking at them consumes nothing and does not depend on how
// they arrive.
#include "tls/client_hello.h"

#include <cstdint>
#include <string>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  BytesView input(data, size);
  CHECK(run(input, SIZE_MAX) == run(input, 1));
  (void)tls::parse_client_hello(input).ok();
  return 0;
}
