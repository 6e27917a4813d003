#include "tls/client_hello.h"

#include <string>

#include <gtest/gtest.h>

#include "io/memory.h"

namespace belljar::tls {
namespace {

using namespace std::string_literals;

std::string with_length(const std::string& bytes, int width) {
  std::string length;
  for (int shift = (width - 1) * 8; shift >= 0; shift -= 8)
    length += static_cast<char>(bytes.size() >> shift);
  return length + bytes;
}

std::string extension(const std::string& type, const std::string& body) {
  return type + with_length(body, 2);
}

std::string server_name(const std::string& name) {
  return extension("\0\0"s, with_length("\0"s + with_length(name, 2), 2));
}

const std::string kAlpn = extension("\0\x10"s, with_length("\2h2\x08http/1.1", 2));
const std::string kVersions = extension("\0\x2b"s, with_length("\x0a\x0a\x03\x04\x03\x03", 1));

std::string hello(const std::string& extensions) {
  std::string body =
      "\x03\x03" + std::string(32, 'r') + "\0"s + with_length("\x13\x01", 2) + with_length("\0"s, 1);
  return "\x01" + with_length(body + with_length(extensions, 2), 3);
}

std::string record(const std::string& fragment) { return "\x16\x03\x01" + with_length(fragment, 2); }

Result<std::variant<ClientHello, NotTls>> peek(const std::string& bytes, std::size_t piece) {
  io::MemoryStream stream(to_bytes(bytes), piece);
  io::BufferedReader reader(stream);
  auto outcome = peek_client_hello(reader);
  if (outcome.ok()) {
    EXPECT_EQ(as_text(reader.buffered()).substr(0, 1), bytes.substr(0, 1)) << "something was consumed";
  }
  return outcome;
}

ClientHello parsed(const std::string& bytes) {
  auto outcome = peek(bytes, 1);
  EXPECT_TRUE(outcome.ok());
  if (!outcome.ok() || !std::holds_alternative<ClientHello>(*outcome)) return {};
  return std::get<ClientHello>(*outcome);
}

TEST(ClientHello, TellsNameProtocolsAndVersion) {
  ClientHello seen = parsed(record(hello(server_name("Api.Example.") + kAlpn + kVersions)));
  EXPECT_EQ(seen.server_name, "api.example");
  EXPECT_EQ(seen.alpn, (std::vector<std::string>{"h2", "http/1.1"}));
  EXPECT_EQ(seen.highest_version, 0x0304);
  EXPECT_FALSE(seen.encrypted_hello);
  EXPECT_EQ(parsed(record(hello(""))).server_name, "");
  EXPECT_EQ(parsed(record(hello(""))).highest_version, 0x0303);
  EXPECT_TRUE(parsed(record(hello(extension("\xfe\x0d", "x")))).encrypted_hello);
}

TEST(ClientHello, MayBeSpreadOverRecords) {
  std::string message = hello(server_name("a.example"));
  std::string records;
  for (char c : message)
    records += record(std::string(1, c));
  EXPECT_EQ(parsed(records).server_name, "a.example");
}

TEST(ClientHello, IsToldFromPlainText) {
  EXPECT_TRUE(std::holds_alternative<NotTls>(peek("GET / HTTP/1.1\r\n", 1).value()));
  EXPECT_TRUE(std::holds_alternative<NotTls>(peek("\x80\x2e\x01", 1).value())) << "SSL 2";
}

TEST(ClientHello, CutAnywhereIsAnError) {
  const std::string whole = record(hello(server_name("a.example") + kAlpn));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(peek(whole.substr(0, length), SIZE_MAX).error().code(), ErrorCode::closed) << length;
  }
  const std::string message = hello(server_name("a.example") + kAlpn);
  for (std::size_t length = 0; length < message.size(); ++length) {
    EXPECT_FALSE(parse_client_hello(as_bytes(std::string_view(message).substr(0, length))).ok()) << length;
  }
}

class MalformedHello : public testing::TestWithParam<std::string> {};

TEST_P(MalformedHello, IsRefused) {
  auto outcome = peek(GetParam(), SIZE_MAX);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code(), ErrorCode::malformed);
}

INSTANTIATE_TEST_SUITE_P(
    Table, MalformedHello,
    testing::Values(record(hello(server_name("a.example") + server_name("b.example"))),
                    record(hello(server_name(""))), record(hello(server_name("."))),
                    record(hello(server_name("a\0.example"s))),
                    record(hello(server_name("\xc3\xa4.example"))), record(hello(server_name("a/b"))),
                    record(hello(server_name(std::string(254, 'a')))),
                    record(hello(extension("\0\0"s, with_length("\0\0\1a\0\0\1b"s, 2)))),
                    record(hello(extension("\0\0"s, with_length("\1\0\1a"s, 2)))),
                    record(hello(extension("\0\0"s, ""))), record(hello(extension("\0\0"s, "\0\4\0\0\1ax"s))),
                    record(hello(extension("\0\x10"s, with_length("\0"s, 2)))),
                    record(hello(extension("\0\x10"s, with_length("\5h2", 2)))),
                    record(hello(extension("\0\x2b"s, with_length("\x03", 1)))), record(hello("\0\0\0"s)),
                    record(hello("") + "x"), "\x16\x02\x01\0\1\1"s, "\x16\x03\x01\0\0"s,
                    "\x16\x03\x01\x40\x01"s, record("\x01\0\0\0"s), record("\x02\0\0\0"s)));

TEST(ClientHello, HasABound) {
  EXPECT_EQ(peek(record("\x01\x01\0\0"s), SIZE_MAX).error().code(), ErrorCode::limit_exceeded);
}

}  // namespace
}  // namespace belljar::tls
