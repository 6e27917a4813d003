#include "tls/client_hello.h"

#include <algorithm>
#include <array>

namespace belljar::tls {
namespace {

constexpr std::uint8_t kHandshakeRecord = 22;
constexpr std::uint8_t kClientHello = 1;
constexpr std::size_t kRecordHeader = 5;
constexpr std::size_t kMostRecord = 16384;
constexpr std::size_t kMostHello = 16384;
constexpr std::size_t kMostExtensions = 64;
constexpr std::size_t kMostProtocols = 32;
constexpr std::size_t kMostName = 253;

enum Extension : std::uint16_t {
  kServerName = 0,
  kAlpn = 16,
  kSupportedVersions = 43,
  kEncryptedHello = 0xFE0D,
  kEncryptedServerName = 0xFFCE,  // the draft before
};

Error malformed(const char* why) {
  return Error(ErrorCode::malformed, std::string("the ClientHello ") + why);
}

/// Takes fields off the front of a message; one that is not there makes all that follow empty and ok() false.
class Taker {
 public:
  explicit Taker(BytesView bytes) : bytes_(bytes) {}

  BytesView take(std::size_t count) {
    if (!ok_ || count > bytes_.size()) {
      ok_ = false;
      return {};
    }
    BytesView taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  /// A big-endian number of 1 to 3 bytes.
  std::size_t number(std::size_t width) {
    std::size_t value = 0;
    for (std::uint8_t byte : take(width))
      value = value << 8 | byte;
    return value;
  }
  /// A vector with its length in front.
  BytesView vector(std::size_t length_width) { return take(number(length_width)); }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  BytesView bytes_;
  bool ok_ = true;
};

Result<void> parse_server_name(BytesView body, ClientHello& hello) {
  Taker outer(body);
  Taker list(outer.vector(2));
  if (!outer.ok() || !outer.empty() || list.empty()) return malformed("has a malformed server name");
  const std::size_t type = list.number(1);
  std::string_view name = as_text(list.vector(2));
  // RFC 6066 allows one name of a type, and there is one type only.
  if (!list.ok() || !list.empty() || type != 0) return malformed("has a malformed server name");
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || name.size() > kMostName) return malformed("has a malformed server name");
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool ordinary =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!ordinary) return malformed("has a server name with characters that no name has");
    hello.server_name += c;
  }
  return {};
}

Result<void> parse_alpn(BytesView body, ClientHello& hello) {
  Taker outer(body);
  Taker list(outer.vector(2));
  if (!outer.ok() || !outer.empty() || list.empty()) return malformed("has a malformed ALPN list");
  while (!list.empty()) {
    std::string_view protocol = as_text(list.vector(1));
    if (!list.ok() || protocol.empty()) return malformed("has a malformed ALPN list");
    if (hello.alpn.size() >= kMostProtocols) return malformed("offers too many protocols");
    hello.alpn.emplace_back(protocol);
  }
  return {};
}

Result<void> parse_versions(BytesView body, ClientHello& hello) {
  Taker outer(body);
  Taker list(outer.vector(1));
  if (!outer.ok() || !outer.empty() || list.empty()) return malformed("has malformed versions");
  hello.highest_version = 0;
  while (!list.empty()) {
    const std::size_t version = list.number(2);
    if (!list.ok()) return malformed("has malformed versions");
    // Reserved values (0x0A0A, 0x1A1A …, RFC 8701) are there to be ignored.
    if (version <= 0x0304)
      hello.highest_version = std::max(hello.highest_version, static_cast<std::uint16_t>(version));
  }
  return {};
}

Result<void> parse_extension(std::size_t type, BytesView body, ClientHello& hello) {
  switch (type) {
    case kServerName:
      return parse_server_name(body, hello);
    case kAlpn:
      return parse_alpn(body, hello);
    case kSupportedVersions:
      return parse_versions(body, hello);
    case kEncryptedHello:
    case kEncryptedServerName:
      hello.encrypted_hello = true;
      return {};
    default:
      return {};
  }
}

Result<void> parse_extensions(BytesView bytes, ClientHello& hello) {
  Taker list(bytes);
  std::vector<std::size_t> seen;
  while (!list.empty()) {
    const std::size_t type = list.number(2);
    BytesView body = list.vector(2);
    if (!list.ok()) return malformed("has malformed extensions");
    // Of two server names one parser would take the first and another the last.
    if (std::find(seen.begin(), seen.end(), type) != seen.end()) return malformed("has an extension twice");
    if (seen.size() >= kMostExtensions) return malformed("has too many extensions");
    seen.push_back(type);
    TRY(parse_extension(type, body, hello));
  }
  return {};
}

}  // namespace

Result<ClientHello> parse_client_hello(BytesView message) {
  Taker outer(message);
  const bool is_hello = outer.number(1) == kClientHello;
  Taker body(outer.vector(3));
  if (!outer.ok() || !outer.empty() || !is_hello) return malformed("is none, or cut");

  ClientHello hello;
  hello.highest_version = static_cast<std::uint16_t>(std::min<std::size_t>(body.number(2), 0x0303));
  body.take(32);  // random
  BytesView session = body.vector(1);
  BytesView ciphers = body.vector(2);
  BytesView compressions = body.vector(1);
  if (!body.ok() || session.size() > 32 || ciphers.size() < 2 || ciphers.size() % 2 != 0 ||
      compressions.empty()) {
    return malformed("has malformed fields");
  }
  if (body.empty()) return hello;  // TLS 1.2 without extensions
  BytesView extensions = body.vector(2);
  if (!body.ok() || !body.empty()) return malformed("has malformed extensions");
  TRY(parse_extensions(extensions, hello));
  return hello;
}

Result<std::variant<ClientHello, NotTls>> peek_client_hello(io::BufferedReader& reader) {
  BytesView first = TRY(reader.peek(1));
  if (first.empty()) return Error(ErrorCode::closed, "the connection ended before its first byte");
  if (first[0] != kHandshakeRecord) return std::variant<ClientHello, NotTls>(NotTls{});

  // The message may be spread over several records; its own length is in its first four bytes.
  Bytes message;
  std::size_t position = 0;
  std::size_t wanted = 4;
  while (message.size() < wanted) {
    BytesView seen = TRY(reader.peek(position + kRecordHeader));
    if (seen.size() < position + kRecordHeader)
      return Error(ErrorCode::closed, "the connection ended in a ClientHello");
    BytesView header = seen.subspan(position, kRecordHeader);
    const std::size_t length = static_cast<std::size_t>(header[3]) << 8 | header[4];
    if (header[0] != kHandshakeRecord || header[1] != 3 || length == 0 || length > kMostRecord) {
      return malformed("is in a malformed record");
    }
    const std::size_t end = position + kRecordHeader + length;
    seen = TRY(reader.peek(end));
    if (seen.size() < end) return Error(ErrorCode::closed, "the connection ended in a ClientHello");
    BytesView fragment = seen.subspan(position + kRecordHeader, length);
    message.insert(message.end(), fragment.begin(), fragment.end());
    position = end;
    if (message.size() >= 4) {
      wanted = 4 + (static_cast<std::size_t>(message[1]) << 16 | static_cast<std::size_t>(message[2]) << 8 |
                    message[3]);
      if (wanted > kMostHello) return Error(ErrorCode::limit_exceeded, "the ClientHello is too long");
    }
  }
  // What follows in the same record would be another message before any answer: no client does that.
  if (message.size() > wanted) return malformed("is followed by another message");
  return std::variant<ClientHello, NotTls>(TRY(parse_client_hello(message)));
}

}  // namespace belljar::tls
