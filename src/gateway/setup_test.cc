#include "gateway/setup.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace belljar::gateway {
namespace {

os::Fd some_fd() { return std::move(os::create_pipe().value().first); }

TEST(Setup, OfTheProxyArrivesWithItsDescriptors) {
  auto control = os::create_socket_pair(SOCK_SEQPACKET).value();
  for (int optional : {0, 1, 2, 3}) {
    bool with_datagrams = (optional & 1) != 0;
    bool with_names = (optional & 2) != 0;
    ProxySetup setup;
    setup.policy.services.push_back({.name = "ollama", .port = 11434, .origin = "test"});
    setup.ca_certificate = "certificate";
    setup.ca_key = Secret(std::string("key"));
    setup.tcp = some_fd();
    setup.resolver_udp = some_fd();
    setup.resolver_tcp = some_fd();
    setup.scan = some_fd();
    setup.ledger = some_fd();
    if (with_datagrams) setup.datagrams = some_fd();
    if (with_names) setup.names = some_fd();
    ASSERT_TRUE(send_setup(control.first.get(), setup).ok());
    auto received = receive_proxy_setup(control.second.get());
    ASSERT_TRUE(received.ok()) << received.error().to_string();
    EXPECT_EQ(received->policy.services.at(0).port, 11434);
    EXPECT_EQ(received->ca_key.reveal(), "key");
    EXPECT_TRUE(received->ledger.valid());
    EXPECT_EQ(received->datagrams.valid(), with_datagrams);
    EXPECT_EQ(received->names.valid(), with_names);
  }
}

TEST(Setup, LargerThanAMessageArrives) {
  auto control = os::create_socket_pair(SOCK_SEQPACKET).value();
  EgressSetup setup;
  setup.trust_store = std::string(1U << 20, 'x');
  setup.scan = some_fd();
  setup.ledger = some_fd();
  ASSERT_TRUE(send_setup(control.first.get(), setup).ok());
  auto received = receive_egress_setup(control.second.get());
  ASSERT_TRUE(received.ok()) << received.error().to_string();
  EXPECT_EQ(received->trust_store.size(), 1U << 20);
}

TEST(Setup, ForAnotherProcessIsRefused) {
  auto control = os::create_socket_pair(SOCK_SEQPACKET).value();
  ScanSetup setup{.proxy = some_fd(), .egress = some_fd()};
  ASSERT_TRUE(send_setup(control.first.get(), setup).ok());
  EXPECT_EQ(receive_egress_setup(control.second.get()).error().code(), ErrorCode::malformed);
  control.first.reset();
  EXPECT_EQ(receive_scan_setup(control.second.get()).error().code(), ErrorCode::closed);
}

}  // namespace
}  // namespace belljar::gateway
