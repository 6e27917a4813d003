#include "http/body.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "http/head_parser.h"

namespace belljar::http {
namespace {

Error malformed(const char* why) { return Error(ErrorCode::malformed, why); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// *( ";" name [ "=" ( token / quoted-string ) ] ), without the white space that RFC 9112 section 7.1.1 calls
// bad.
bool are_extensions(std::string_view text) {
  auto take_token = [&text] {
    std::size_t length = 0;
    while (length < text.size() && is_token(text.substr(length, 1)))
      ++length;
    text.remove_prefix(length);
    return length > 0;
  };
  auto take_quoted = [&text] {
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        text.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  };
  while (!text.empty()) {
    if (text.front() != ';') return false;
    text.remove_prefix(1);
    if (!take_token()) return false;
    if (!text.starts_with('=')) continue;
    text.remove_prefix(1);
    if (!(text.starts_with('"') ? take_quoted() : take_token())) return false;
  }
  return true;
}

// Fields that decide how a message is read, routed or trusted mean nothing after it; RFC 9110 section 6.5.1.
bool may_be_trailer(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNever = {"connection",    "trailer", "te",
                                                      "authorization", "cookie",  "set-cookie",
                                                      "expect",        "upgrade", "content-encoding"};
  return std::find(kNever.begin(), kNever.end(), name) == kNever.end() && !name.starts_with("proxy-");
}

}  // namespace

BodyReader::BodyReader(io::BufferedReader& reader, Framing framing, const Limits& limits)
    : reader_(reader), framing_(framing), limits_(limits) {
  if (framing.kind == BodyKind::length) left_ = framing.length;
  ended_ = framing.kind == BodyKind::none || (framing.kind == BodyKind::length && left_ == 0);
}

Result<std::size_t> BodyReader::read_some(std::span<std::uint8_t> buffer) {
  if (ended_) return std::size_t{0};
  switch (framing_.kind) {
    case BodyKind::none:
      return std::size_t{0};
    case BodyKind::length: {
      std::size_t count = TRY(read_plain(buffer, left_));
      left_ -= count;
      ended_ = left_ == 0;
      return count;
    }
    case BodyKind::until_close: {
      std::size_t count = TRY(reader_.read_some(buffer));
      ended_ = count == 0;
      return count;
    }
    case BodyKind::chunked:
      break;
  }
  // The end of a chunk is looked for only when more is asked for: what came before it is not held back.
  if (in_chunk_ && left_ == 0) {
    TRY(expect_line_end());
    in_chunk_ = false;
  }
  if (!in_chunk_) {
    TRY(read_chunk_line());
    if (ended_) return std::size_t{0};
  }
  std::size_t count = TRY(read_plain(buffer, left_));
  left_ -= count;
  return count;
}

Result<std::size_t> BodyReader::read_plain(std::span<std::uint8_t> buffer, std::uint64_t most) {
  std::span<std::uint8_t> part =
      buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), most)));
  std::size_t count = TRY(reader_.read_some(part));
  if (count == 0) return Error(ErrorCode::closed, "the connection ended within a message body");
  return count;
}

// chunk-size [ ";" extensions ] CRLF; RFC 9112 section 7.1. The extensions are dropped, yet checked: a bare
// LF in them is where other parsers see the line end.
Result<void> BodyReader::read_chunk_line() {
  std::size_t length = 0;
  std::size_t scanned = 0;
  for (;;) {
    std::string_view text = as_text(reader_.buffered());
    std::size_t line_feed = text.find('\n', scanned);
    if (line_feed != std::string_view::npos) {
      if (line_feed == 0 || text[line_feed - 1] != '\r') return malformed("a chunk line ends without CR LF");
      length = line_feed - 1;
      break;
    }
    scanned = text.size();
    if (scanned > limits_.chunk_line) return malformed("a chunk line is too long");
    if (TRY(reader_.fill()) == 0)
      return Error(ErrorCode::closed, "the connection ended within a message body");
  }

  std::string_view line = as_text(reader_.buffered()).substr(0, length);
  if (length > limits_.chunk_line) return malformed("a chunk line is too long");
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hex_digit(line[digits]) >= 0; ++digits) {
    size = size * 16 + static_cast<std::uint64_t>(hex_digit(line[digits]));
    if (digits >= 15) return malformed("a chunk size is too large");
  }
  if (digits == 0) return malformed("a chunk has no size");
  std::string_view rest = line.substr(digits);
  if (!is_field_value(rest) || !are_extensions(rest))
    return malformed("a chunk size is followed by something else");
  reader_.consume(length + 2);

  if (size == 0) return read_trailers();
  left_ = size;
  in_chunk_ = true;
  return {};
}

Result<void> BodyReader::expect_line_end() {
  for (char expected : {'\r', '\n'}) {
    BytesView next = TRY(reader_.peek(1));
    if (next.empty()) return Error(ErrorCode::closed, "the connection ended within a message body");
    if (as_text(next)[0] != expected) return malformed("a chunk does not end where its size says");
    reader_.consume(1);
  }
  return {};
}

Result<void> BodyReader::read_trailers() {
  HeadParser parser(reader_, limits_);
  Headers all = TRY(parser.read_trailers());
  // The first three would be another reading of a message that is over: no honest sender writes them here.
  for (std::string_view name : {"content-length", "transfer-encoding", "host"}) {
    if (all.has(name)) return malformed("a trailer that changes what the message was");
  }
  for (const Header& field : all) {
    if (may_be_trailer(field.name)) trailers_.add(field.name, field.value);
  }
  ended_ = true;
  return {};
}

BodyWriter::BodyWriter(io::Writer& writer, Framing framing) : writer_(writer), framing_(framing) {
  if (framing.kind == BodyKind::length) left_ = framing.length;
}

Result<void> BodyWriter::write(BytesView bytes) {
  CHECK(!finished_);
  if (bytes.empty()) return {};
  switch (framing_.kind) {
    case BodyKind::none:
      return Error(ErrorCode::internal, "a body for a message that has none");
    case BodyKind::length:
      if (bytes.size() > left_) return Error(ErrorCode::internal, "a body longer than announced");
      left_ -= bytes.size();
      TRY(writer_.write(bytes));
      break;
    case BodyKind::until_close:
      TRY(writer_.write(bytes));
      break;
    case BodyKind::chunked: {
      std::array<char, 20> line{};
      int length = std::snprintf(line.data(), line.size(), "%zx\r\n", bytes.size());
      TRY(io::write_text(writer_, std::string_view(line.data(), static_cast<std::size_t>(length))));
      TRY(writer_.write(bytes));
      TRY(io::write_text(writer_, "\r\n"));
      break;
    }
  }
  return writer_.flush();
}

Result<void> BodyWriter::finish(const Headers& trailers) {
  if (finished_) return {};
  finished_ = true;
  if (framing_.kind == BodyKind::length && left_ > 0) {
    return Error(ErrorCode::internal, "a body shorter than announced");
  }
  if (framing_.kind == BodyKind::chunked) {
    std::string end = "0\r\n";
    for (const Header& field : trailers) {
      CHECK(is_token(field.name) && is_field_value(field.value));
      end.append(field.name).append(": ").append(field.value).append("\r\n");
    }
    TRY(io::write_text(writer_, end.append("\r\n")));
  }
  return writer_.flush();
}

}  // namespace belljar::http
