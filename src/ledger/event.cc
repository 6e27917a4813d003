#include "ledger/event.h"

#include <algorithm>

#include "ledger/printable.h"
#include "wire/codec.h"

namespace belljar::ledger {

namespace {

constexpr std::uint8_t kLastKind = static_cast<std::uint8_t>(Kind::undo);

bool is_exchange(std::string_view text) {
  return text.empty() || (text.size() == 16 && std::all_of(text.begin(), text.end(), [](char c) {
                            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                          }));
}

bool is_verdict(std::string_view text) {
  return text.empty() || text == "allow" || text == "deny" || text == "hold";
}

Result<std::string> decode_text(wire::Decoder& decoder, std::size_t limit) {
  auto text = TRY(decoder.text());
  if (text.size() > limit) return Error(ErrorCode::malformed, "a text of an event is too long");
  if (!is_printable(text)) return Error(ErrorCode::malformed, "a text of an event is not printable");
  return make_printable(text, limit);  // an earlier version has recorded what can't be seen
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::lifecycle:
      return "lifecycle";
    case Kind::request:
      return "request";
    case Kind::response:
      return "response";
    case Kind::resolve:
      return "resolve";
    case Kind::connection:
      return "connection";
    case Kind::datagram:
      return "datagram";
    case Kind::decision:
      return "decision";
    case Kind::checkpoint:
      return "checkpoint";
    case Kind::undo:
      return "undo";
  }
  return "unknown";
}

Bytes encode(const Event& event) {
  CHECK(is_exchange(event.exchange) && is_verdict(event.verdict));
  wire::Encoder encoder;
  encoder.u8(static_cast<std::uint8_t>(event.kind)).text(event.exchange).text(event.verdict);
  encoder.text(make_printable(event.scheme, kMaxEventText)).text(make_printable(event.host, kMaxEventText));
  encoder.u16(event.port).text(make_printable(event.method, kMaxEventText));
  encoder.text(make_printable(event.path, kMaxEventPath)).text(make_printable(event.reason, kMaxEventReason));
  encoder.text(make_printable(event.origin, kMaxEventText));
  encoder.u16(event.status).u64(event.bytes_out).u64(event.bytes_in);
  return encoder.take();
}

Result<Event> decode(BytesView bytes) {
  wire::Decoder decoder(bytes);
  Event event;
  auto kind = TRY(decoder.u8());
  if (kind > kLastKind) return Error(ErrorCode::malformed, "an event of an unknown kind");
  event.kind = static_cast<Kind>(kind);
  event.exchange = TRY(decoder.text());
  event.verdict = TRY(decoder.text());
  if (!is_exchange(event.exchange)) return Error(ErrorCode::malformed, "an event with a bad exchange");
  if (!is_verdict(event.verdict)) return Error(ErrorCode::malformed, "an event with an unknown verdict");
  event.scheme = TRY(decode_text(decoder, kMaxEventText));
  event.host = TRY(decode_text(decoder, kMaxEventText));
  event.port = TRY(decoder.u16());
  event.method = TRY(decode_text(decoder, kMaxEventText));
  event.path = TRY(decode_text(decoder, kMaxEventPath));
  event.reason = TRY(decode_text(decoder, kMaxEventReason));
  event.origin = TRY(decode_text(decoder, kMaxEventText));
  event.status = TRY(decoder.u16());
  event.bytes_out = TRY(decoder.u64());
  event.bytes_in = TRY(decoder.u64());
  TRY(decoder.finish());
  return event;
}

}  // namespace belljar::ledger
