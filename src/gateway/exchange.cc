#include "gateway/exchange.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "wire/codec.h"

namespace belljar::gateway {

namespace {

enum class Type : std::uint8_t { request = 1, response = 2, body = 3, end = 4, refusal = 5, abort = 6 };

std::size_t bound_of(Type type) {
  switch (type) {
    case Type::request:
    case Type::response:
      return kMaxHead;
    case Type::body:
      return kMaxChunk;
    case Type::end:
      return 0;
    case Type::refusal:
    case Type::abort:
      return 4 * kMaxReason;
  }
  return 0;
}

Error malformed(std::string what) { return {ErrorCode::malformed, std::move(what)}; }

// --- Encoding ---------------------------------------------------------------------------------------------

void put(wire::Encoder& out, const http::Headers& headers) {
  out.count(headers.size());
  for (const auto& header : headers)
    out.text(header.name).text(header.value);
}

void put(wire::Encoder& out, const BodySize& size) {
  out.u8(static_cast<std::uint8_t>(size.kind)).u64(size.length);
}

Bytes framed(Type type, BytesView payload) {
  auto length = static_cast<std::uint32_t>(payload.size());
  Bytes out;
  out.reserve(kFrameHeader + payload.size());
  out.push_back(static_cast<std::uint8_t>(type));
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(length >> shift));
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

Bytes encode_frame(const RequestHead& head) {
  wire::Encoder out;
  out.text(head.exchange).u8(static_cast<std::uint8_t>(head.scheme)).text(head.host).u16(head.port);
  out.text(head.method).text(head.path).boolean(head.query.has_value()).text(head.query.value_or(""));
  put(out, head.headers);
  put(out, head.body);
  return framed(Type::request, out.result());
}

Bytes encode_frame(const ResponseHead& head) {
  wire::Encoder out;
  out.u16(head.status);
  put(out, head.headers);
  put(out, head.body);
  return framed(Type::response, out.result());
}

Bytes encode_frame(const Body& body) { return framed(Type::body, body.bytes); }

Bytes encode_frame(const End&) { return framed(Type::end, {}); }

Bytes encode_frame(const Refusal& refusal) {
  wire::Encoder out;
  auto bounded = [](const std::string& text) { return std::string_view(text).substr(0, kMaxReason); };
  out.u16(refusal.status)
      .text(bounded(refusal.reason))
      .text(bounded(refusal.how))
      .text(bounded(refusal.origin));
  return framed(Type::refusal, out.result());
}

Bytes encode_frame(const Abort& abort) {
  wire::Encoder out;
  out.text(std::string_view(abort.reason).substr(0, kMaxReason));
  return framed(Type::abort, out.result());
}

// --- Decoding ---------------------------------------------------------------------------------------------

Result<http::Headers> take_headers(wire::Decoder& in) {
  auto count = TRY(in.count());
  if (count > kMaxHeaders) return malformed("a head with too many fields");
  http::Headers headers;
  for (std::size_t i = 0; i < count; ++i) {
    auto name = TRY(in.text());
    auto value = TRY(in.text());
    headers.add(name, value);
  }
  return headers;
}

Result<BodySize> take_body_size(wire::Decoder& in) {
  auto kind = TRY(in.u8());
  if (kind > static_cast<std::uint8_t>(BodySize::Kind::announced))
    return malformed("an unknown kind of body");
  BodySize size{.kind = static_cast<BodySize::Kind>(kind), .length = 0};
  size.length = TRY(in.u64());
  return size;
}

Result<Frame> decode_request(wire::Decoder in) {
  RequestHead head;
  head.exchange = TRY(in.text());
  auto scheme = TRY(in.u8());
  if (scheme > static_cast<std::uint8_t>(policy::Scheme::https)) return malformed("an unknown scheme");
  head.scheme = static_cast<policy::Scheme>(scheme);
  head.host = TRY(in.text());
  head.port = TRY(in.u16());
  head.method = TRY(in.text());
  head.path = TRY(in.text());
  bool has_query = TRY(in.boolean());
  auto query = TRY(in.text());
  if (has_query) head.query = std::move(query);
  head.headers = TRY(take_headers(in));
  head.body = TRY(take_body_size(in));
  TRY(in.finish());
  TRY(check(head));
  return Frame(std::move(head));
}

Result<Frame> decode_response(wire::Decoder in) {
  ResponseHead head;
  head.status = TRY(in.u16());
  head.headers = TRY(take_headers(in));
  head.body = TRY(take_body_size(in));
  TRY(in.finish());
  TRY(check(head));
  return Frame(std::move(head));
}

/// Texts of a refusal become a header line and a log line: one line of printable characters.
std::string one_line(std::string text) {
  for (auto& character : text)
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) character = ' ';
  if (text.size() > kMaxReason) text.resize(kMaxReason);
  return text;
}

Result<Frame> decode_refusal(wire::Decoder in) {
  Refusal refusal;
  refusal.status = TRY(in.u16());
  refusal.reason = one_line(TRY(in.text()));
  refusal.how = one_line(TRY(in.text()));
  refusal.origin = one_line(TRY(in.text()));
  TRY(in.finish());
  if (refusal.status < 400 || refusal.status > 599) return malformed("a refusal with a status of success");
  return Frame(std::move(refusal));
}

Result<Frame> decode_abort(wire::Decoder in) {
  Abort abort;
  abort.reason = one_line(TRY(in.text()));
  TRY(in.finish());
  return Frame(std::move(abort));
}

// --- Checking ---------------------------------------------------------------------------------------------

/// Visible ASCII without what would end the part it stands in.
bool is_target_part(std::string_view text, std::string_view excluded) {
  return std::all_of(text.begin(), text.end(), [&](char character) {
    return character > 0x20 && character < 0x7f && excluded.find(character) == std::string_view::npos;
  });
}

Result<void> check_headers(const http::Headers& headers) {
  if (headers.size() > kMaxHeaders) return malformed("a head with too many fields");
  for (const auto& header : headers) {
    if (!http::is_token(header.name)) return malformed("a field name that is none");
    if (is_of_connection(header.name)) return malformed(fmt::format("the field {} in a head", header.name));
    if (!http::is_field_value(header.value))
      return malformed(fmt::format("the value of the field {}", header.name));
  }
  return {};
}

Result<void> check_size(const BodySize& size) {
  bool has_length = size.kind == BodySize::Kind::sized || size.kind == BodySize::Kind::announced;
  if (!has_length && size.length != 0) return malformed("a length without a sized body");
  return {};
}

}  // namespace

bool is_of_connection(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "connection", "content-length",    "expect", "host", "http2-settings", "keep-alive", "te",
      "trailer",    "transfer-encoding", "upgrade"};
  return name.substr(0, 6) == "proxy-" || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Bytes encode(const Frame& frame) {
  return std::visit([](const auto& one) { return encode_frame(one); }, frame);
}

Result<FrameHeader> decode_header(BytesView header) {
  if (header.size() != kFrameHeader) return malformed("a frame header of the wrong size");
  FrameHeader out{.type = header[0], .length = 0};
  for (std::size_t i = 1; i < kFrameHeader; ++i)
    out.length = out.length << 8 | header[i];
  if (out.type < static_cast<std::uint8_t>(Type::request) ||
      out.type > static_cast<std::uint8_t>(Type::abort))
    return malformed("a frame of an unknown type");
  if (out.length > bound_of(static_cast<Type>(out.type))) return malformed("a frame beyond its bound");
  return out;
}

Result<Frame> decode_payload(FrameHeader header, BytesView payload) {
  if (payload.size() != header.length) return malformed("a frame of another length than it says");
  switch (static_cast<Type>(header.type)) {
    case Type::request:
      return decode_request(wire::Decoder(payload));
    case Type::response:
      return decode_response(wire::Decoder(payload));
    case Type::body:
      if (payload.empty()) return malformed("an empty body frame");
      return Frame(Body{Bytes(payload.begin(), payload.end())});
    case Type::end:
      return Frame(End{});
    case Type::refusal:
      return decode_refusal(wire::Decoder(payload));
    case Type::abort:
      return decode_abort(wire::Decoder(payload));
  }
  return malformed("a frame of an unknown type");
}

Result<void> check(const RequestHead& head) {
  bool hexadecimal = std::all_of(head.exchange.begin(), head.exchange.end(), [](char character) {
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
  });
  if (head.exchange.size() != 16 || !hexadecimal) return malformed("an exchange number that is none");
  if (TRY(policy::canonical_host(head.host)) != head.host) return malformed("a host that is not canonical");
  if (head.port == 0) return malformed("port 0");
  if (!http::is_token(head.method) || head.method.size() > 32) return malformed("a method that is none");
  if (head.method == "CONNECT") return malformed("CONNECT is not an exchange");
  if (head.path.size() + head.query.value_or("").size() > kMaxTarget)
    return malformed("a target that is too long");
  if (head.path.empty() || head.path[0] != '/' || !is_target_part(head.path, "?#"))
    return malformed("a path that is not in origin form");
  if (!is_target_part(head.query.value_or(""), "#"))
    return malformed("a query with other than visible characters");
  TRY(subject_of(head));
  if (head.body.kind == BodySize::Kind::announced) return malformed("a request that only announces a body");
  TRY(check_size(head.body));
  return check_headers(head.headers);
}

Result<void> check(const ResponseHead& head) {
  if (head.status < 200 || head.status > 599) return malformed("a status that is not final");
  TRY(check_size(head.body));
  return check_headers(head.headers);
}

Result<policy::Subject> subject_of(const RequestHead& head) {
  policy::Subject subject{
      .scheme = head.scheme, .host = head.host, .port = head.port, .method = head.method, .path = {}};
  subject.path = TRY(policy::normalise_path(head.path));
  return subject;
}

}  // namespace belljar::gateway
