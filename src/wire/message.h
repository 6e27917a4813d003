// One of several kinds of message in one packet: the version of the protocol, the kind, then what the kind
// holds. The kind is the place of its type in a std::variant, so a protocol's variants are only added to.
//
// A protocol names its version and gives what writes and reads one alternative, as overloads behind a lambda:
//
//   wire::encode_message(kVersion, request, [](auto& out, const auto& chosen) { put(out, chosen); });
//   wire::decode_message<Request>(kVersion, bytes, [](auto& in, auto& chosen) { return get(in, chosen); });
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "wire/codec.h"

namespace belljar::wire {

template <typename Message, typename Put>
Bytes encode_message(std::uint8_t version, const Message& message, Put put) {
  static_assert(std::variant_size_v<Message> <= 256);
  Encoder out;
  out.u8(version).u8(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& chosen) { put(out, chosen); }, message);
  return out.take();
}

/// Alternative `kind` of the variant, which must take all of `in`.
template <typename Message, typename Get, std::size_t Index = 0>
Result<Message> decode_kind(std::size_t kind, Decoder& in, Get get) {
  if constexpr (Index < std::variant_size_v<Message>) {
    if (kind != Index) return decode_kind<Message, Get, Index + 1>(kind, in, get);
    std::variant_alternative_t<Index, Message> chosen;
    TRY(get(in, chosen));
    TRY(in.finish());
    return Message(std::in_place_index<Index>, std::move(chosen));
  } else {
    return Error(ErrorCode::malformed, "a message of an unknown kind");
  }
}

/// Errors: `unsupported` for another version, `malformed` for all else that is no Message.
template <typename Message, typename Get>
Result<Message> decode_message(std::uint8_t version, BytesView bytes, Get get) {
  Decoder in(bytes);
  auto said = TRY(in.u8());
  if (said != version)
    return Error(ErrorCode::unsupported, "a message of version " + std::to_string(said) +
                                             "; this belljar speaks " + std::to_string(version));
  auto kind = TRY(in.u8());
  return decode_kind<Message>(kind, in, get);
}

}  // namespace belljar::wire
