// What the two processes of belljard say to each other (SOCK_SEQPACKET): the registrar, which is confined and
// reads what others send, asks the broker, which reads nothing else, for what it can't do itself.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::daemon {

/// To the broker. `jar` is the name of a jar, in every order.
struct Order {
  enum class Kind : std::uint8_t {
    connect,  ///< to the jar's keeper; the answer is a Delivery
    clear,    ///< clear away what a killed keeper has left
    tend,     ///< drop checkpoints beyond their age and room
  };
  Kind kind = Kind::connect;
  std::string jar;
  bool operator==(const Order&) const = default;
};

/// To the registrar.
struct Delivery {
  enum class Kind : std::uint8_t {
    client,  ///< with the socket of somebody who connected and is who they must be
    keeper,  ///< with a socket to the jar's keeper
    none,    ///< no keeper of that jar listens
  };
  Kind kind = Kind::client;
  std::string jar;  ///< empty for a client
  bool operator==(const Delivery&) const = default;
};

Bytes encode(const Order& order);
Bytes encode(const Delivery& delivery);
/// `malformed` for what is none, and for a name that no jar can have.
Result<Order> decode_order(BytesView bytes);
Result<Delivery> decode_delivery(BytesView bytes);

}  // namespace belljar::daemon
