// Any bytes as a connection's requests: what is accepted must survive being written and read again unchanged,
// and every answer must be the same however the bytes arrive.
#include <cstdint>
#include <string>

#include "base/panic.h"
#include "http/body.h"
#include "http/reader.h"
#include "http/writer.h"
#include "io/memory.h"

using namespace belljar;

namespace {

// The written form of all requests up to the first that is refused or cut.
std::string run(BytesView input, std::size_t piece) {
  io::MemoryStream stream(Bytes(input.begin(), input.end()), piece);
  io::BufferedReader reader(stream, http::kReaderLimit);
  std::string log;
  for (int i = 0; i < 8; ++i) {
    auto outcome = http::read_request_head(reader);
    if (!outcome.ok()) return log + "failed";
    if (auto* refusal = std::get_if<http::Refusal>(&*outcome)) {
      CHECK(refusal->status >= 400 && refusal->status <= 599 && !refusal->reason.empty());
      return log + refusal->reason;
    }
    auto* request = std::get_if<http::Request>(&*outcome);
    if (request == nullptr) return log + "ended";
    http::remove_hop_by_hop(request->headers);
    log += http::serialise(*request);

    io::MemoryStream body_out;
    http::BodyReader body(reader, request->framing);
    std::uint8_t buffer[512];
    for (;;) {
      auto count = body.read_some(buffer);
      if (!count.ok()) return log + "body failed";
      if (*count == 0) break;
      log.append(reinterpret_cast<const char*>(buffer), *count);
    }
    CHECK(body.ended());
    http::BodyWriter trailers(body_out, {http::BodyKind::chunked, 0});
    CHECK(trailers.finish(body.trailers()).ok());
    log += as_text(body_out.written());
    if (!request->keep_alive) return log;
  }
  return log;
}

void check_again(BytesView input) {
  io::MemoryStream stream(Bytes(input.begin(), input.end()));
  io::BufferedReader reader(stream, http::kReaderLimit);
  auto outcome = http::read_request_head(reader);
  if (!outcome.ok() || !std::holds_alternative<http::Request>(*outcome)) return;
  std::string written = http::serialise(std::get<http::Request>(*outcome));
  // The target may have grown by nothing but the "/" of an absolute form without path, so it always fits
  // again.
  io::MemoryStream second(to_bytes(written));
  io::BufferedReader second_reader(second, http::kReaderLimit);
  http::Limits wider;
  wider.head *= 2;
  wider.headers += 8;
  auto again = http::read_request_head(second_reader, wider);
  CHECK(again.ok() && std::holds_alternative<http::Request>(*again));
  CHECK(http::serialise(std::get<http::Request>(*again)) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > (200U << 10)) return 0;
  BytesView input(data, size);
  CHECK(run(input, SIZE_MAX) == run(input, 1 + input.size() % 31));
  check_again(input);
  return 0;
}
