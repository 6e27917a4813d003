#include "keeper/protocol.h"

#include "wire/message.h"

namespace belljar::keeper {

namespace {

using wire::Decoder;
using wire::Encoder;

// Each message is written and read by the functions below of its type; its place in the variant is its kind.

std::string_view cut(std::string_view text) { return text.substr(0, kMaxText); }

void put(Encoder& out, const jar::TerminalSize& size) { out.u16(size.rows).u16(size.columns); }
Result<void> get(Decoder& in, jar::TerminalSize& size) {
  size.rows = TRY(in.u16());
  size.columns = TRY(in.u16());
  if (size.rows == 0 || size.columns == 0)
    return Error(ErrorCode::malformed, "a terminal that has no room for a character");
  return {};
}

void put(Encoder& out, const Streams& streams) {
  out.u8(streams.given).boolean(streams.terminal.has_value());
  if (streams.terminal) put(out, *streams.terminal);
}
Result<void> get(Decoder& in, Streams& streams) {
  streams.given = TRY(in.u8());
  if (streams.given > 7) return Error(ErrorCode::malformed, "a program has three standard streams");
  if (TRY(in.boolean())) TRY(get(in, streams.terminal.emplace()));
  return {};
}

void put(Encoder& out, const request::StartJar& message) { put(out, message.streams); }
Result<void> get(Decoder& in, request::StartJar& message) { return get(in, message.streams); }

void put(Encoder& out, const request::Attach& message) {
  put(out, message.size);
  out.boolean(message.read_only).boolean(message.take_over);
}
Result<void> get(Decoder& in, request::Attach& message) {
  TRY(get(in, message.size));
  message.read_only = TRY(in.boolean());
  message.take_over = TRY(in.boolean());
  return {};
}

void put(Encoder& out, const request::Exec& message) { put(out, message.streams); }
Result<void> get(Decoder& in, request::Exec& message) { return get(in, message.streams); }

void put_piece(Encoder& out, const Bytes& bytes) {
  CHECK(bytes.size() <= kMaxPiece);
  out.bytes(bytes);
}
Result<void> get_piece(Decoder& in, Bytes& bytes) {
  bytes = TRY(in.bytes());
  if (bytes.size() > kMaxPiece) return Error(ErrorCode::malformed, "a piece larger than its bound");
  return {};
}

void put(Encoder& out, const request::Input& message) { put_piece(out, message.bytes); }
Result<void> get(Decoder& in, request::Input& message) { return get_piece(in, message.bytes); }

void put(Encoder& out, const request::Resize& message) { put(out, message.size); }
Result<void> get(Decoder& in, request::Resize& message) { return get(in, message.size); }

void put(Encoder& out, const request::Signal& message) {
  out.u32(static_cast<std::uint32_t>(message.number));
}
Result<void> get(Decoder& in, request::Signal& message) {
  constexpr std::uint32_t kHighest = 64;
  auto number = TRY(in.u32());
  if (number == 0 || number > kHighest) return Error(ErrorCode::malformed, "no signal has this number");
  message.number = static_cast<std::int32_t>(number);
  return {};
}

void put(Encoder&, const request::Status&) {}
Result<void> get(Decoder&, request::Status&) { return {}; }

void put(Encoder& out, const request::Stop& message) { out.u32(message.grace); }
Result<void> get(Decoder& in, request::Stop& message) {
  message.grace = TRY(in.u32());
  return {};
}

void put(Encoder&, const request::Detach&) {}
Result<void> get(Decoder&, request::Detach&) { return {}; }
void put(Encoder&, const request::Watch&) {}
Result<void> get(Decoder&, request::Watch&) { return {}; }
void put(Encoder&, const request::Proceed&) {}
Result<void> get(Decoder&, request::Proceed&) { return {}; }

void put(Encoder&, const request::Pause&) {}
Result<void> get(Decoder&, request::Pause&) { return {}; }
void put(Encoder&, const request::Resume&) {}
Result<void> get(Decoder&, request::Resume&) { return {}; }

void put(Encoder& out, const request::Logs& message) { out.boolean(message.follow); }
Result<void> get(Decoder& in, request::Logs& message) {
  message.follow = TRY(in.boolean());
  return {};
}

void put(Encoder& out, const request::Connect& message) { out.u16(message.port); }
Result<void> get(Decoder& in, request::Connect& message) {
  message.port = TRY(in.u16());
  if (message.port == 0) return Error(ErrorCode::malformed, "no port has the number 0");
  return {};
}

void put(Encoder&, const answer::Started&) {}
Result<void> get(Decoder&, answer::Started&) { return {}; }

void put(Encoder& out, const answer::Output& message) { put_piece(out, message.bytes); }
Result<void> get(Decoder& in, answer::Output& message) { return get_piece(in, message.bytes); }

void put(Encoder& out, const answer::Progress& message) { put_piece(out, message.bytes); }
Result<void> get(Decoder& in, answer::Progress& message) { return get_piece(in, message.bytes); }

void put(Encoder& out, const answer::Told& message) { out.text(cut(message.line)); }
Result<void> get(Decoder& in, answer::Told& message) {
  message.line = TRY(in.text());
  return {};
}

void put(Encoder& out, const answer::LeftBehind& message) {
  out.text(cut(message.path)).text(cut(message.why));
}
Result<void> get(Decoder& in, answer::LeftBehind& message) {
  message.path = TRY(in.text());
  message.why = TRY(in.text());
  return {};
}

void put(Encoder& out, const answer::Ended& message) {
  out.u32(static_cast<std::uint32_t>(message.exit_code)).u32(message.traps);
}
Result<void> get(Decoder& in, answer::Ended& message) {
  message.exit_code = static_cast<std::int32_t>(TRY(in.u32()));
  message.traps = TRY(in.u32());
  return {};
}

void put(Encoder& out, const answer::Failed& message) {
  out.u32(static_cast<std::uint32_t>(message.exit_code)).text(cut(message.why)).text(cut(message.hint));
  out.boolean(message.nothing_has_run);
}
Result<void> get(Decoder& in, answer::Failed& message) {
  message.exit_code = static_cast<std::int32_t>(TRY(in.u32()));
  message.why = TRY(in.text());
  message.hint = TRY(in.text());
  message.nothing_has_run = TRY(in.boolean());
  return {};
}

void put(Encoder& out, const answer::Detached& message) { out.text(cut(message.why)); }
Result<void> get(Decoder& in, answer::Detached& message) {
  message.why = TRY(in.text());
  return {};
}

void put(Encoder& out, const answer::StatusReport& message) {
  out.text(cut(message.state)).text(cut(message.command)).text(cut(message.gateway));
  out.u64(static_cast<std::uint64_t>(message.started)).u32(message.keeper).u32(message.init);
  out.u32(message.processes).u32(message.programs).u32(message.attached).u32(message.restarts);
  out.u64(message.cpu_milliseconds).u64(message.memory).u64(message.own_memory).boolean(message.terminal);
  out.text(cut(message.why)).u64(message.out_of_memory).count(message.limits.size());
  for (const auto& [name, asked, enforced, how] : message.limits)
    out.text(cut(name)).text(cut(asked)).boolean(enforced).text(cut(how));
}
Result<void> get(Decoder& in, answer::StatusReport& message) {
  message.state = TRY(in.text());
  message.command = TRY(in.text());
  message.gateway = TRY(in.text());
  message.started = static_cast<std::int64_t>(TRY(in.u64()));
  message.keeper = TRY(in.u32());
  message.init = TRY(in.u32());
  message.processes = TRY(in.u32());
  message.programs = TRY(in.u32());
  message.attached = TRY(in.u32());
  message.restarts = TRY(in.u32());
  message.cpu_milliseconds = TRY(in.u64());
  message.memory = TRY(in.u64());
  message.own_memory = TRY(in.u64());
  message.terminal = TRY(in.boolean());
  message.why = TRY(in.text());
  message.out_of_memory = TRY(in.u64());
  for (auto count = TRY(in.count()); count > 0; --count) {
    auto& limit = message.limits.emplace_back();
    limit.name = TRY(in.text());
    limit.asked = TRY(in.text());
    limit.enforced = TRY(in.boolean());
    limit.how = TRY(in.text());
  }
  return {};
}

void put(Encoder&, const answer::Done&) {}
Result<void> get(Decoder&, answer::Done&) { return {}; }
void put(Encoder&, const answer::Connected&) {}
Result<void> get(Decoder&, answer::Connected&) { return {}; }
void put(Encoder& out, const answer::Changed& message) { out.text(cut(message.state)); }
Result<void> get(Decoder& in, answer::Changed& message) {
  message.state = TRY(in.text());
  return {};
}

template <typename Message>
Bytes encode_any(const Message& message) {
  return wire::encode_message(kProtocolVersion, message,
                              [](auto& out, const auto& chosen) { put(out, chosen); });
}

template <typename Message>
Result<Message> decode_any(BytesView bytes) {
  return wire::decode_message<Message>(kProtocolVersion, bytes,
                                       [](auto& in, auto& chosen) { return get(in, chosen); });
}

}  // namespace

Bytes encode(const Request& request) { return encode_any(request); }
Bytes encode(const Answer& answer) { return encode_any(answer); }

Result<Request> decode_request(BytesView bytes) { return decode_any<Request>(bytes); }
Result<Answer> decode_answer(BytesView bytes) { return decode_any<Answer>(bytes); }

}  // namespace belljar::keeper
