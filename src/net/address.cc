#include "net/address.h"

#include <algorithm>
#include <cstring>

#include <arpa/inet.h>

namespace belljar::net {

Address Address::v4(std::array<std::uint8_t, 4> bytes) {
  Address address;
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

Address Address::v6(const std::array<std::uint8_t, 16>& bytes) {
  Address address;
  address.v4_ = false;
  address.bytes_ = bytes;
  return address;
}

Result<Address> Address::parse(std::string_view text) {
  // inet_pton is as strict as we want to be, but reads a C string: no zero byte may hide the rest.
  char copy[INET6_ADDRSTRLEN] = {};
  if (text.size() >= sizeof copy || text.find('\0') != std::string_view::npos)
    return Error(ErrorCode::malformed, "not an IP address");
  std::copy(text.begin(), text.end(), copy);
  Address address;
  address.v4_ = text.find(':') == std::string_view::npos;
  if (::inet_pton(address.v4_ ? AF_INET : AF_INET6, copy, address.bytes_.data()) != 1)
    return Error(ErrorCode::malformed, "not an IP address");
  return address;
}

std::string Address::to_string() const {
  char text[INET6_ADDRSTRLEN];
  return ::inet_ntop(v4_ ? AF_INET : AF_INET6, bytes_.data(), text, sizeof text);
}

Result<Endpoint> Endpoint::parse(std::string_view text) {
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return Error(ErrorCode::malformed, "no port after the address");
  auto host = text.substr(0, colon);
  bool brackets = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  Endpoint endpoint{.address = TRY(Address::parse(host)), .port = TRY(parse_port(text.substr(colon + 1)))};
  if (endpoint.address.is_v6() != brackets)
    return Error(ErrorCode::malformed, "brackets are for IPv6, and needed there");
  return endpoint;
}

Result<Endpoint> Endpoint::from(const sockaddr_storage& name) {
  if (name.ss_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, &name, sizeof in);
    std::array<std::uint8_t, 4> bytes;
    std::memcpy(bytes.data(), &in.sin_addr, bytes.size());
    return Endpoint{.address = Address::v4(bytes), .port = ntohs(in.sin_port)};
  }
  if (name.ss_family == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, &name, sizeof in);
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return Endpoint{.address = Address::v6(bytes), .port = ntohs(in.sin6_port)};
  }
  return Error(ErrorCode::unsupported, "an address that is not of the internet");
}

socklen_t Endpoint::fill(sockaddr_storage& name) const {
  name = {};
  if (address.is_v4()) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, address.bytes().data(), 4);
    std::memcpy(&name, &in, sizeof in);
    return sizeof in;
  }
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_port = htons(port);
  std::memcpy(&in.sin6_addr, address.bytes().data(), 16);
  std::memcpy(&name, &in, sizeof in);
  return sizeof in;
}

std::string Endpoint::to_string() const {
  auto host = address.to_string();
  return (address.is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<std::uint16_t> parse_port(std::string_view text) {
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || text.size() > 5 || text.front() == '0' ||
      !std::all_of(text.begin(), text.end(), is_digit))
    return Error(ErrorCode::malformed, "not a port: 1 to 65535");
  std::uint32_t value = 0;
  for (char c : text)
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  if (value > 65535) return Error(ErrorCode::malformed, "not a port: 1 to 65535");
  return static_cast<std::uint16_t>(value);
}

}  // namespace belljar::net
