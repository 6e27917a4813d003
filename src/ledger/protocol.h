// What is said to the process belljar-ledger, over SOCK_SEQPACKET sockets.
//
// The control socket (descriptor 3) carries one setup and then any number of appenders; its end is the end of
// the process, once everything is written. Each appender is a socket of its own, whose jar and source are
// fixed by whoever made it: what a taken-over process writes is always under its own name. On an appender,
// appends with an id are answered by an acknowledgement with that id, in any order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "ledger/event.h"

namespace belljar::ledger {

struct Setup {
  std::string directory;  ///< absolute; made when absent
};

/// Comes with one descriptor: the ledger's end of the appender's socket.
struct Appender {
  std::string source;  ///< "proxy", "egress", "keeper"
  std::string jar;
};

using Control = std::variant<Setup, Appender>;
Bytes encode(const Control& control);
Result<Control> decode_control(BytesView bytes);

struct Append {
  std::uint64_t id = 0;  ///< of the sender's choice
  Durability durability = Durability::none;
  Bytes event;  ///< encode(Event), checked by decode_append
};
Bytes encode(const Append& append);
Result<Append> decode_append(BytesView bytes);

struct Acknowledgement {
  std::uint64_t id = 0;
  std::string refusal;  ///< why it was not recorded; empty when it was
};
Bytes encode(const Acknowledgement& acknowledgement);
Result<Acknowledgement> decode_acknowledgement(BytesView bytes);

/// The starter's side, blocking; `socket` is borrowed.
Result<void> send_setup(int control, const Setup& setup);
Result<void> send_appender(int control, const Appender& appender, int socket);

}  // namespace belljar::ledger
