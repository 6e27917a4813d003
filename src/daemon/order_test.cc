#include "daemon/order.h"

#include <gtest/gtest.h>

namespace belljar::daemon {
namespace {

TEST(Order, ComesBackAsItWas) {
  for (auto kind : {Order::Kind::connect, Order::Kind::clear, Order::Kind::tend})
    EXPECT_EQ(decode_order(encode(Order{kind, "app"})).value(), (Order{kind, "app"}));
  EXPECT_EQ(decode_delivery(encode(Delivery{})).value(), Delivery{});
  for (auto kind : {Delivery::Kind::keeper, Delivery::Kind::none})
    EXPECT_EQ(decode_delivery(encode(Delivery{kind, "app"})).value(), (Delivery{kind, "app"}));
}

TEST(Order, NamesNothingButJars) {
  for (const char* name : {"", "..", "a/b", "../app", "App", ".removed-app-1"}) {
    EXPECT_FALSE(decode_order(encode(Order{Order::Kind::clear, name})).ok()) << name;
    EXPECT_FALSE(decode_delivery(encode(Delivery{Delivery::Kind::keeper, name})).ok()) << name;
  }
  EXPECT_FALSE(decode_delivery(encode(Delivery{Delivery::Kind::client, "app"})).ok());
  auto bytes = encode(Order{Order::Kind::tend, "app"});
  bytes[0] = 3;
  EXPECT_FALSE(decode_order(bytes).ok());
}

}  // namespace
}  // namespace belljar::daemon
