// HeadParser: what request and response heads have in common; the inside of reader.h.
#pragma once

#include <optional>
#include <string>

#include "http/message.h"
#include "http/reader.h"
#include "io/buffered.h"

namespace belljar::http {

/// Reads one head line by line. A rule that is broken comes back as Error malformed, and refusal() then says
/// what to answer; any other error is the source's.
class HeadParser {
 public:
  /// `reader` and `limits` are borrowed.
  HeadParser(io::BufferedReader& reader, const Limits& limits) : reader_(reader), limits_(limits) {}

  /// The first line that is not empty; nothing when the stream ends before it. `too_long` is the status to
  /// refuse a longer one with.
  Result<std::optional<std::string>> read_start_line(int too_long);
  /// All fields up to and including the empty line.
  Result<Headers> read_headers();
  /// Of a trailer section: the same rules, with its own bound.
  Result<Headers> read_trailers();

  /// Removes Content-Length and Transfer-Encoding and tells what they said; refuses every doubt.
  Result<Framing> take_framing(Headers& headers, int minor_version);

  /// Remembers the refusal and makes the error to return.
  Error refuse(int status, std::string reason);
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  Result<std::string> read_line(std::size_t most, int too_long);
  Result<Headers> read_fields(std::size_t most_bytes);
  Result<Header> parse_field(const std::string& line);

  io::BufferedReader& reader_;
  const Limits& limits_;
  std::optional<Refusal> refusal_;
};

/// Whether the connection may carry another message after this one. RFC 9112 section 9.3; of HTTP/1.0 it
/// never does: its keep-alive was never specified, and such a peer reads the close anyway.
bool persists(const Headers& headers, int minor_version);

/// "HTTP/1.0" → 0, "HTTP/1.1" → 1; -1 for another version, nothing for what is no version.
std::optional<int> parse_version(std::string_view text);

}  // namespace belljar::http
