// Any bytes as a server's answers; the first byte picks the method that was asked with.
#include <array>
#include <cstdint>
#include <string>

#include "base/panic.h"
#include "http/body.h"
#include "http/reader.h"
#include "http/writer.h"
#include "io/memory.h"

using namespace belljar;

namespace {

std::string run(BytesView input, std::string_view method, std::size_t piece) {
  io::MemoryStream stream(Bytes(input.begin(), input.end()), piece);
  io::BufferedReader reader(stream, http::kReaderLimit);
  std::string log;
  for (int i = 0; i < 8; ++i) {
    auto response = http::read_response_head(reader, method);
    if (!response.ok()) return log + response.error().message();
    http::remove_hop_by_hop(response->headers);
    log += http::serialise(*response);
    if (http::is_interim(response->status)) continue;

    http::BodyReader body(reader, response->framing);
    std::uint8_t buffer[512];
    for (;;) {
      auto count = body.read_some(buffer);
      if (!count.ok()) return log + "body failed";
      if (*count == 0) break;
      log.append(reinterpret_cast<const char*>(buffer), *count);
    }
    CHECK(body.ended());
    if (!response->keep_alive) return log;
  }
  return log;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > (200U << 10)) return 0;
  constexpr std::array<std::string_view, 4> kMethods = {"GET", "HEAD", "POST", "CONNECT"};
  std::string_view method = kMethods[data[0] % kMethods.size()];
  BytesView input(data + 1, size - 1);
  CHECK(run(input, method, SIZE_MAX) == run(input, method, 1 + input.size() % 31));
  return 0;
}
