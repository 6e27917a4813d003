#include "http/head_parser.h"

#include <algorithm>

namespace belljar::http {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits only: no sign, no list, no white space within. 18 of them fit in any 64-bit reader's number.
std::optional<std::uint64_t> parse_length(std::string_view text) {
  if (text.empty() || text.size() > 18 || !std::all_of(text.begin(), text.end(), is_digit))
    return std::nullopt;
  std::uint64_t length = 0;
  for (char c : text)
    length = length * 10 + static_cast<std::uint64_t>(c - '0');
  return length;
}

// Servers that hand headers to programs as variables can't tell these from the real ones.
bool imitates_framing(std::string_view lower_name) {
  if (lower_name.find('_') == std::string_view::npos) return false;
  std::string dashed(lower_name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed == "content-length" || dashed == "transfer-encoding";
}

}  // namespace

Error HeadParser::refuse(int status, std::string reason) {
  refusal_ = Refusal{.status = status, .reason = reason};
  return Error(ErrorCode::malformed, std::move(reason));
}

Result<std::string> HeadParser::read_line(std::size_t most, int too_long) {
  std::size_t scanned = 0;
  for (;;) {
    std::string_view text = as_text(reader_.buffered());
    std::size_t line_feed = text.find('\n', scanned);
    if (line_feed != std::string_view::npos && line_feed <= most + 1) {
      if (line_feed == 0 || text[line_feed - 1] != '\r') return refuse(400, "a line ends without CR LF");
      std::string line(text.substr(0, line_feed - 1));
      reader_.consume(line_feed + 1);
      if (line.find('\r') != std::string::npos) return refuse(400, "a CR stands alone");
      return line;
    }
    if (text.size() > most + 1) return refuse(too_long, "a line of the head is too long");
    scanned = text.size();
    if (TRY(reader_.fill()) == 0)
      return Error(ErrorCode::closed, "the connection ended within a message head");
  }
}

Result<std::optional<std::string>> HeadParser::read_start_line(int too_long) {
  for (int empty_lines = 0; empty_lines <= 2; ++empty_lines) {
    if (TRY(reader_.peek(1)).empty()) return std::optional<std::string>{};
    std::string line = TRY(read_line(limits_.start_line, too_long));
    if (!line.empty()) return std::optional(std::move(line));
  }
  return refuse(400, "empty lines before the message");
}

Result<Headers> HeadParser::read_headers() { return read_fields(limits_.head); }

Result<Headers> HeadParser::read_trailers() { return read_fields(limits_.trailers); }

Result<Headers> HeadParser::read_fields(std::size_t most_bytes) {
  Headers headers;
  std::size_t left = most_bytes;
  for (;;) {
    std::string line = TRY(read_line(left, 431));
    if (line.empty()) return headers;
    if (headers.size() >= limits_.headers) return refuse(431, "too many header fields");
    Header field = TRY(parse_field(line));
    headers.add(field.name, field.value);
    left -= std::min(left, line.size() + 2);
  }
}

Result<Header> HeadParser::parse_field(const std::string& line) {
  if (line.front() == ' ' || line.front() == '\t')
    return refuse(400, "a header field is folded over two lines");
  std::size_t colon = line.find(':');
  if (colon == std::string::npos) return refuse(400, "a header line has no colon");
  std::string_view name = std::string_view(line).substr(0, colon);
  std::string_view value = std::string_view(line).substr(colon + 1);
  if (name.empty()) return refuse(400, "a header field has no name");
  if (name.back() == ' ' || name.back() == '\t')
    return refuse(400, "white space before the colon of a header field");
  if (!is_token(name)) return refuse(400, "a header field's name has characters that no name has");
  if (!is_field_value(value)) return refuse(400, "a header field's value has control characters");

  while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
    value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t'))
    value.remove_suffix(1);
  Header field{.name = lower_case(name), .value = std::string(value)};
  if (imitates_framing(field.name)) return refuse(400, "a header field imitates a framing header");
  return field;
}

Result<Framing> HeadParser::take_framing(Headers& headers, int minor_version) {
  const std::size_t lengths = headers.count("content-length");
  const std::size_t codings = headers.count("transfer-encoding");
  if (lengths > 0 && codings > 0) return refuse(400, "both Content-Length and Transfer-Encoding");
  if (lengths > 1) return refuse(400, "more than one Content-Length");
  if (codings > 1) return refuse(400, "more than one Transfer-Encoding");

  Framing framing;
  if (lengths == 1) {
    std::optional<std::uint64_t> length = parse_length(*headers.find("content-length"));
    if (!length) return refuse(400, "Content-Length is not one decimal number");
    framing = {.kind = BodyKind::length, .length = *length};
  } else if (codings == 1) {
    if (minor_version == 0) return refuse(400, "Transfer-Encoding in an HTTP/1.0 message");
    const std::string& coding = *headers.find("transfer-encoding");
    if (coding.empty()) return refuse(400, "an empty Transfer-Encoding");
    if (!equals_ignoring_case(coding, "chunked")) return refuse(501, "a transfer coding other than chunked");
    framing.kind = BodyKind::chunked;
  }
  headers.remove("content-length");
  headers.remove("transfer-encoding");
  return framing;
}

bool persists(const Headers& headers, int minor_version) {
  return minor_version >= 1 && !headers.lists("connection", "close");
}

std::optional<int> parse_version(std::string_view text) {
  if (text.size() != 8 || !text.starts_with("HTTP/") || !is_digit(text[5]) || text[6] != '.' ||
      !is_digit(text[7])) {
    return std::nullopt;
  }
  if (text[5] != '1' || text[7] > '1') return -1;
  return text[7] - '0';
}

}  // namespace belljar::http
