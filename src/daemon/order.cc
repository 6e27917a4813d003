#include "daemon/order.h"

#include "keeper/jars.h"
#include "wire/codec.h"

namespace belljar::daemon {

namespace {

template <typename Message>
Bytes encode_any(const Message& message) {
  wire::Encoder out;
  out.u8(static_cast<std::uint8_t>(message.kind)).text(message.jar);
  return out.take();
}

template <typename Message>
Result<Message> decode_any(BytesView bytes, typename Message::Kind last) {
  wire::Decoder in(bytes);
  auto kind = TRY(in.u8());
  if (kind > static_cast<std::uint8_t>(last)) return Error(ErrorCode::malformed, "an unknown kind");
  Message message{.kind = static_cast<typename Message::Kind>(kind), .jar = TRY(in.text())};
  TRY(in.finish());
  return message;
}

}  // namespace

Bytes encode(const Order& order) { return encode_any(order); }
Bytes encode(const Delivery& delivery) { return encode_any(delivery); }

Result<Order> decode_order(BytesView bytes) {
  auto order = TRY(decode_any<Order>(bytes, Order::Kind::tend));
  if (!keeper::Jars::is_valid_name(order.jar)) return Error(ErrorCode::malformed, "no name of a jar");
  return order;
}

Result<Delivery> decode_delivery(BytesView bytes) {
  auto delivery = TRY(decode_any<Delivery>(bytes, Delivery::Kind::none));
  bool named = delivery.kind != Delivery::Kind::client;
  if (named ? !keeper::Jars::is_valid_name(delivery.jar) : !delivery.jar.empty())
    return Error(ErrorCode::malformed, "no name of a jar");
  return delivery;
}

}  // namespace belljar::daemon
