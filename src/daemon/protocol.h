// What belljard and those who ask it say to each other over belljard.sock (SOCK_SEQPACKET): one message a
// packet, version and kind first. A connection carries any number of requests, one at a time. One that says
// nothing is a hint that something has changed.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "daemon/known_jar.h"

namespace belljar::daemon {

inline constexpr std::uint8_t kProtocolVersion = 1;

namespace request {
/// All jars, each as a KnownJar, then End.
struct List {
  bool operator==(const List&) const = default;
};
struct About {
  bool operator==(const About&) const = default;
};
}  // namespace request

using Request = std::variant<request::List, request::About>;

namespace answer {
struct End {
  std::vector<std::string> notes;  ///< lines for the person who asks, each told once
  bool operator==(const End&) const = default;
};
struct About {
  std::uint32_t process = 0;  ///< number on the host
  std::int64_t started = 0;   ///< seconds since 1970
  std::uint32_t jars = 0;
  std::uint32_t running = 0;
  std::string registry;            ///< its state, one line
  std::vector<std::string> notes;  ///< what was out of order since it started
  bool operator==(const About&) const = default;
};
struct Failed {
  std::string why;
  bool operator==(const Failed&) const = default;
};
}  // namespace answer

using Answer = std::variant<KnownJar, answer::End, answer::About, answer::Failed>;

/// Texts beyond kMaxText are cut, so that every message fits into one packet.
inline constexpr std::size_t kMaxText = 4096;
inline constexpr std::size_t kMaxNotes = 8;
Bytes encode(const Request& request);
Bytes encode(const Answer& answer);

/// Errors: `unsupported` for another version, `malformed` for all else that is none.
Result<Request> decode_request(BytesView bytes);
Result<Answer> decode_answer(BytesView bytes);

}  // namespace belljar::daemon
