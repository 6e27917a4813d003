#include "net/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/fd.h"
#include "rt/testing.h"

namespace belljar::net {
namespace {

using testing::HasSubstr;

Endpoint endpoint(const char* text) { return Endpoint::parse(text).value(); }
rt::Deadline patient() { return rt::Deadline::after(std::chrono::seconds(10)); }

/// A listener on a port of the kernel's choice, and where it is.
struct Listener {
  os::Fd socket;
  Endpoint at;
};

Listener listen_on(const char* address) {
  Listener listener{.socket = os::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
                    .at = {.address = Address::parse(address).value(), .port = 0}};
  sockaddr_storage name;
  auto length = listener.at.fill(name);
  EXPECT_EQ(::bind(listener.socket.get(), reinterpret_cast<sockaddr*>(&name), length), 0);
  EXPECT_EQ(::listen(listener.socket.get(), 8), 0);
  length = sizeof name;
  EXPECT_EQ(::getsockname(listener.socket.get(), reinterpret_cast<sockaddr*>(&name), &length), 0);
  listener.at = Endpoint::from(name).value();
  return listener;
}

bool anyone_came(const Listener& listener) {
  return rt::await_readable(listener.socket.get(), rt::Deadline::after(std::chrono::milliseconds(20))).ok();
}

FIBER_TEST(DirectNetwork, ConnectsAndCarries) {
  auto listener = listen_on("127.0.0.1");
  DirectNetwork network;
  auto stream = network.connect(listener.at, patient()).value();
  os::Fd accepted(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(accepted.valid());
  TRY_OR_FAIL(io::write_text(*stream, "hello"));
  TRY_OR_FAIL(stream->close_write());
  EXPECT_EQ(os::read_all(accepted.get(), 100).value(), "hello");
}

FIBER_TEST(DirectNetwork, TellsWhoRefused) {
  auto at = listen_on("127.0.0.1").at;  // and closed again
  auto refused = DirectNetwork().connect(at, patient());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().system_errno(), ECONNREFUSED);
  EXPECT_THAT(refused.error().to_string(), HasSubstr(at.to_string()));
}

FIBER_TEST(PublicOnlyNetwork, RefusesWhatIsNotPublicWithoutAPacket) {
  auto listener = listen_on("127.0.0.1");
  DirectNetwork direct;
  PublicOnlyNetwork network(direct);
  auto refused = network.connect(listener.at, patient());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::permission_denied);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("loopback"));
  auto port = std::to_string(listener.at.port);
  for (const char* spelling :
       {"[::ffff:127.0.0.1]:", "[::127.0.0.1]:", "[64:ff9b::127.0.0.1]:", "0.0.0.0:", "[::]:"})
    EXPECT_EQ(network.connect(endpoint((spelling + port).c_str()), patient()).error().code(),
              ErrorCode::permission_denied)
        << spelling;
  EXPECT_FALSE(anyone_came(listener));
}

FIBER_TEST(PublicOnlyNetwork, TakesANamedEndpointExactly) {
  auto listener = listen_on("127.0.0.1");
  auto neighbour = listen_on("127.0.0.1");
  DirectNetwork direct;
  PublicOnlyNetwork network(direct, {listener.at});
  EXPECT_TRUE(network.connect(listener.at, patient()).ok());
  EXPECT_FALSE(network.connect(neighbour.at, patient()).ok());
  EXPECT_FALSE(
      network.may_connect({.address = Address::parse("127.0.0.2").value(), .port = listener.at.port}).ok());
  EXPECT_FALSE(anyone_came(neighbour));
}

/// Notes what it is told to dial.
class NotingNetwork final : public Network {
 public:
  Result<std::unique_ptr<io::Stream>> connect(const Endpoint& dialled, rt::Deadline) override {
    last = dialled;
    return Error(ErrorCode::unsupported, "only noted");
  }
  Endpoint last;
};

FIBER_TEST(PublicOnlyNetwork, DialsTheAddressItChecked) {
  NotingNetwork below;
  auto target = endpoint("127.0.0.1:7");
  PublicOnlyNetwork network(below, {target});
  (void)network.connect(target, patient());
  EXPECT_EQ(below.last, target);
}

TEST(PublicOnlyNetwork, RefusesPortZero) {
  NotingNetwork below;
  EXPECT_FALSE(
      PublicOnlyNetwork(below).may_connect({.address = Address::parse("1.1.1.1").value(), .port = 0}).ok());
}

}  // namespace
}  // namespace belljar::net
