#include "daemon/protocol.h"

#include <algorithm>

#include "wire/message.h"

namespace belljar::daemon {

namespace {

using wire::Decoder;
using wire::Encoder;

// Each message is written and read by the functions below of its type; its place in the variant is its kind.

std::string_view cut(std::string_view text) { return text.substr(0, kMaxText); }

void put_time(Encoder& out, std::int64_t time) { out.u64(static_cast<std::uint64_t>(time)); }
Result<std::int64_t> get_time(Decoder& in) { return static_cast<std::int64_t>(TRY(in.u64())); }

void put(Encoder& out, const std::optional<keeper::EndRecord>& end) {
  out.boolean(end.has_value());
  if (!end) return;
  put_time(out, end->time);
  out.boolean(end->exit_code.has_value());
  if (end->exit_code) out.u32(static_cast<std::uint32_t>(*end->exit_code));
}
Result<void> get(Decoder& in, std::optional<keeper::EndRecord>& end) {
  if (!TRY(in.boolean())) return {};
  end.emplace().time = TRY(get_time(in));
  if (TRY(in.boolean())) end->exit_code = static_cast<std::int32_t>(TRY(in.u32()));
  return {};
}

void put(Encoder& out, const std::optional<RequestCount>& count) {
  out.boolean(count.has_value());
  if (count) out.u64(count->allowed).u64(count->denied);
}
Result<void> get(Decoder& in, std::optional<RequestCount>& count) {
  if (!TRY(in.boolean())) return {};
  count.emplace().allowed = TRY(in.u64());
  count->denied = TRY(in.u64());
  return {};
}

/// As the keeper sends it, version and all.
void put(Encoder& out, const std::optional<keeper::answer::StatusReport>& live) {
  out.boolean(live.has_value());
  if (live) out.bytes(keeper::encode(keeper::Answer(*live)));
}
Result<void> get(Decoder& in, std::optional<keeper::answer::StatusReport>& live) {
  if (!TRY(in.boolean())) return {};
  auto bytes = TRY(in.bytes());
  auto answer = TRY(keeper::decode_answer(bytes));
  auto* report = std::get_if<keeper::answer::StatusReport>(&answer);
  if (report == nullptr) return Error(ErrorCode::malformed, "figures of a jar that are none");
  live = std::move(*report);
  return {};
}

void put(Encoder& out, const std::vector<std::string>& notes) {
  auto count = std::min(notes.size(), kMaxNotes);
  out.count(count);
  for (std::size_t n = 0; n < count; ++n)
    out.text(cut(notes[n]));
}
Result<void> get(Decoder& in, std::vector<std::string>& notes) {
  auto count = TRY(in.count());
  if (count > kMaxNotes) return Error(ErrorCode::malformed, "more notes than there can be");
  for (std::size_t n = 0; n < count; ++n)
    notes.push_back(TRY(in.text()));
  return {};
}

void put(Encoder&, const request::List&) {}
Result<void> get(Decoder&, request::List&) { return {}; }
void put(Encoder&, const request::About&) {}
Result<void> get(Decoder&, request::About&) { return {}; }

void put(Encoder& out, const KnownJar& jar) {
  out.text(cut(jar.name)).text(cut(jar.workspace)).text(cut(jar.agent));
  put_time(out, jar.created);
  put_time(out, jar.started);
  put(out, jar.ended);
  out.text(cut(jar.generation)).text(cut(jar.state)).boolean(jar.running);
  put(out, jar.requests);
  out.boolean(jar.requests_complete);
  put(out, jar.live);
}
Result<void> get(Decoder& in, KnownJar& jar) {
  jar.name = TRY(in.text());
  jar.workspace = TRY(in.text());
  jar.agent = TRY(in.text());
  jar.created = TRY(get_time(in));
  jar.started = TRY(get_time(in));
  TRY(get(in, jar.ended));
  jar.generation = TRY(in.text());
  jar.state = TRY(in.text());
  jar.running = TRY(in.boolean());
  TRY(get(in, jar.requests));
  jar.requests_complete = TRY(in.boolean());
  return get(in, jar.live);
}

void put(Encoder& out, const answer::End& message) { put(out, message.notes); }
Result<void> get(Decoder& in, answer::End& message) { return get(in, message.notes); }

void put(Encoder& out, const answer::About& message) {
  out.u32(message.process);
  put_time(out, message.started);
  out.u32(message.jars).u32(message.running).text(cut(message.registry));
  put(out, message.notes);
}
Result<void> get(Decoder& in, answer::About& message) {
  message.process = TRY(in.u32());
  message.started = TRY(get_time(in));
  message.jars = TRY(in.u32());
  message.running = TRY(in.u32());
  message.registry = TRY(in.text());
  return get(in, message.notes);
}

void put(Encoder& out, const answer::Failed& message) { out.text(cut(message.why)); }
Result<void> get(Decoder& in, answer::Failed& message) {
  message.why = TRY(in.text());
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

}  // namespace belljar::daemon
