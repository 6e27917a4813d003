// Event: one line of the ledger. Nothing secret is in it: paths stand without their query, bodies and headers
// never, reasons are our own words.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::ledger {

enum class Kind : std::uint8_t {
  lifecycle,   ///< a jar started, stopped, was removed; a gateway process started or died
  request,     ///< an HTTP request judged (verdict set)
  response,    ///< the end of an exchange: status and bytes
  resolve,     ///< a name asked of the resolver and refused
  connection,  ///< a connection refused before a request was there
  datagram,    ///< UDP or IPv6 turned away (rate-limited)
  decision,    ///< a rule added or removed by the user
  checkpoint,  ///< a workspace was saved because the user asked for it
  undo,        ///< a workspace is made what it was
};
std::string_view name_of(Kind kind);

/// When an append is acknowledged. A denial, hold or decision is acknowledged once it is durable; an allow
/// once the ledger holds it (durable within 100 ms); the rest needs no acknowledgement.
enum class Durability : std::uint8_t { none, accepted, durable };

struct Event {
  Kind kind = Kind::lifecycle;
  std::string exchange;  ///< 16 hex digits shared by the events of one exchange; may be empty
  std::string verdict;   ///< "allow", "deny", "hold" or empty
  std::string scheme;
  std::string host;
  std::uint16_t port = 0;
  std::string method;
  std::string path;    ///< without query
  std::string reason;  ///< for a lifecycle event: what happened
  std::string origin;  ///< of the deciding rule
  std::uint16_t status = 0;
  std::uint64_t bytes_out = 0;  ///< body bytes from the jar
  std::uint64_t bytes_in = 0;   ///< body bytes to the jar
};

/// The longest texts that an event keeps, in bytes; longer ones are cut and end in "…". All events fit into
/// one message (os::kMaxMessage).
inline constexpr std::size_t kMaxEventPath = 16U << 10;
inline constexpr std::size_t kMaxEventReason = 4U << 10;
inline constexpr std::size_t kMaxEventText = 512;

/// Texts are made fit for a log and a terminal: cut to the bounds above, and what is not printable UTF-8
/// becomes
/// "?".
Bytes encode(const Event& event);
/// Takes only what encode makes: `malformed` for a text out of bounds or not printable, an unknown kind or
/// verdict.
Result<Event> decode(BytesView bytes);

}  // namespace belljar::ledger
