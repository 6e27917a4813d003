#include "ledger/protocol.h"

#include <algorithm>

#include "ledger/printable.h"
#include "os/passing.h"
#include "wire/codec.h"

namespace belljar::ledger {

namespace {

constexpr std::uint8_t kSetup = 1;
constexpr std::uint8_t kAppender = 2;
constexpr std::size_t kMaxName = 255;

bool is_name(std::string_view text) { return text.size() <= kMaxName && is_printable(text); }

}  // namespace

Bytes encode(const Control& control) {
  wire::Encoder encoder;
  if (const auto* setup = std::get_if<Setup>(&control))
    return encoder.u8(kSetup).text(setup->directory).take();
  const auto& appender = std::get<Appender>(control);
  return encoder.u8(kAppender).text(appender.source).text(appender.jar).take();
}

Result<Control> decode_control(BytesView bytes) {
  wire::Decoder decoder(bytes);
  auto type = TRY(decoder.u8());
  if (type == kSetup) {
    Setup setup{.directory = TRY(decoder.text())};
    TRY(decoder.finish());
    if (!setup.directory.starts_with('/'))
      return Error(ErrorCode::malformed, "the ledger's directory is not absolute");
    return Control(std::move(setup));
  }
  if (type != kAppender) return Error(ErrorCode::malformed, "an unknown message to the ledger");
  Appender appender;
  appender.source = TRY(decoder.text());
  appender.jar = TRY(decoder.text());
  TRY(decoder.finish());
  if (appender.source.empty() || !is_name(appender.source) || !is_name(appender.jar))
    return Error(ErrorCode::malformed, "an appender without a proper name");
  return Control(std::move(appender));
}

Bytes encode(const Append& append) {
  wire::Encoder encoder;
  return encoder.u64(append.id).u8(static_cast<std::uint8_t>(append.durability)).bytes(append.event).take();
}

Result<Append> decode_append(BytesView bytes) {
  wire::Decoder decoder(bytes);
  Append append;
  append.id = TRY(decoder.u64());
  auto durability = TRY(decoder.u8());
  if (durability > static_cast<std::uint8_t>(Durability::durable))
    return Error(ErrorCode::malformed, "an unknown durability");
  append.durability = static_cast<Durability>(durability);
  append.event = TRY(decoder.bytes());
  TRY(decoder.finish());
  TRY(decode(append.event));
  return append;
}

Bytes encode(const Acknowledgement& acknowledgement) {
  wire::Encoder encoder;
  return encoder.u64(acknowledgement.id)
      .text(make_printable(acknowledgement.refusal, kMaxEventReason))
      .take();
}

Result<Acknowledgement> decode_acknowledgement(BytesView bytes) {
  wire::Decoder decoder(bytes);
  Acknowledgement acknowledgement;
  acknowledgement.id = TRY(decoder.u64());
  acknowledgement.refusal = TRY(decoder.text());
  TRY(decoder.finish());
  return acknowledgement;
}

Result<void> send_setup(int control, const Setup& setup) {
  return os::send_message(control, encode(Control(setup)));
}

Result<void> send_appender(int control, const Appender& appender, int socket) {
  return os::send_message(control, encode(Control(appender)), std::span(&socket, 1));
}

}  // namespace belljar::ledger
