#include "net/address.h"

#include <gtest/gtest.h>

#include "net/authority.h"

namespace belljar::net {
namespace {

struct Spelling {
  const char* text;
  const char* canonical;  ///< null: refused
};

TEST(Address, IsReadStrictly) {
  using namespace std::string_view_literals;
  const Spelling kSpellings[] = {
      {"1.2.3.4", "1.2.3.4"},
      {"255.255.255.255", "255.255.255.255"},
      {"2606:4700::1", "2606:4700::1"},
      {"2606:4700:0:0:0:0:0:1", "2606:4700::1"},
      {"2606:4700::ABCD", "2606:4700::abcd"},
      {"::", "::"},
      {"::ffff:1.2.3.4", "::ffff:1.2.3.4"},
      {"64:ff9b::1.2.3.4", "64:ff9b::102:304"},
      {"", nullptr},
      {"1.2.3", nullptr},
      {"127.1", nullptr},
      {"2130706433", nullptr},
      {"0x7f.0.0.1", nullptr},
      {"0177.0.0.1", nullptr},
      {"01.2.3.4", nullptr},
      {"1.2.3.4.", nullptr},
      {"1.2.3.256", nullptr},
      {" 1.2.3.4", nullptr},
      {"1.2.3.4 ", nullptr},
      {"1.2.3.4\n", nullptr},
      {"+1.2.3.4", nullptr},
      {"[::1]", nullptr},
      {"fe80::1%lo", nullptr},
      {"1::2::3", nullptr},
      {":::", nullptr},
      {"12345::", nullptr},
      {"1:2:3:4:5:6:7:8:9", nullptr},
      {"::1.2.3", nullptr},
      {"::1/128", nullptr},
      {"1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb", nullptr},
  };
  for (const auto& spelling : kSpellings) {
    auto address = Address::parse(spelling.text);
    ASSERT_EQ(address.ok(), spelling.canonical != nullptr) << spelling.text;
    if (!address.ok()) {
      EXPECT_EQ(address.error().code(), ErrorCode::malformed);
      continue;
    }
    EXPECT_EQ(address->to_string(), spelling.canonical);
  }
  EXPECT_FALSE(Address::parse("1.2.3.4\0.example"sv).ok());
}

TEST(Endpoint, IsReadStrictlyAndSurvivesTheKernelsForm) {
  for (const char* text : {"1.2.3.4:1", "9.9.9.9:65535", "[::1]:80", "[2606:4700::1]:443"}) {
    auto endpoint = Endpoint::parse(text).value();
    EXPECT_EQ(endpoint.to_string(), text);
    sockaddr_storage name;
    endpoint.fill(name);
    EXPECT_EQ(Endpoint::from(name).value(), endpoint);
  }
  for (const char* text :
       {"", "1.2.3.4", "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:080", "1.2.3.4:65536", "1.2.3.4:+80", "1.2.3.4:80 ",
        "::1:80", "[1.2.3.4]:80", "[::1]80", "[::1:80", "name:80", "1.2.3.4:99999999999"})
    EXPECT_FALSE(Endpoint::parse(text).ok()) << text;
  sockaddr_storage name{};
  name.ss_family = AF_UNIX;
  EXPECT_EQ(Endpoint::from(name).error().code(), ErrorCode::unsupported);
}

TEST(Authority, IsReadStrictly) {
  const std::string long_label(63, 'a');
  const std::string long_name = long_label + "." + long_label + "." + long_label + "." + std::string(61, 'b');
  struct {
    std::string text;
    std::string canonical;  ///< empty: refused
  } const kSpellings[] = {
      {"example.com", "example.com"},
      {"Example.COM.", "example.com"},
      {"example.com:8443", "example.com:8443"},
      {"a_b.example-1.com", "a_b.example-1.com"},
      {"localhost", "localhost"},
      {"1.2.3.4", "1.2.3.4"},
      {"1.2.3.4:80", "1.2.3.4:80"},
      {"[2606:4700:0::1]", "[2606:4700::1]"},
      {"[::1]:443", "[::1]:443"},
      {"0x7f.example", "0x7f.example"},
      {long_name, long_name},
      {long_name + "b", ""},
      {long_label + "a.com", ""},
      {"", ""},
      {".", ""},
      {":80", ""},
      {"example.com:", ""},
      {"example.com:0", ""},
      {"example.com:80:80", ""},
      {"example..com", ""},
      {".example.com", ""},
      {"example.com..", ""},
      {"user@example.com", ""},
      {"user:password@example.com", ""},
      {"example.com/path", ""},
      {"example.com?", ""},
      {"example%2ecom", ""},
      {"exa mple.com", ""},
      {"ex\xC3\xA4mple.com", ""},
      {"127.1", ""},
      {"0x7f000001", ""},
      {"2130706433", ""},
      {"1.2.3.4.5", ""},
      {"1.2.3.4.", ""},
      {"example.0x", ""},
      {"example.1", ""},
      {"::1", ""},
      {"[::1", ""},
      {"::1]", ""},
      {"[1.2.3.4]", ""},
      {"[fe80::1%25lo]", ""},
      {"[v1.x]", ""},
      {"[::1]x", ""},
      {"[]", ""},
  };
  for (const auto& spelling : kSpellings) {
    auto authority = Authority::parse(spelling.text);
    ASSERT_EQ(authority.ok(), !spelling.canonical.empty()) << spelling.text;
    if (!authority.ok()) continue;
    EXPECT_EQ(authority->to_string(), spelling.canonical);
    EXPECT_EQ(Authority::parse(spelling.canonical).value(), *authority);
  }
  EXPECT_TRUE(Authority::parse("[::1]").value().address.has_value());
  EXPECT_FALSE(Authority::parse("one").value().address.has_value());
}

}  // namespace
}  // namespace belljar::net
