#include "net/special_use.h"

#include <gtest/gtest.h>

namespace belljar::net {
namespace {

struct Borders {
  const char* before;  ///< public, or null where what comes before is special as well
  const char* first;
  const char* last;
  const char* after;
};

// Each range by its own first and last address, and by the public neighbours that must not be lost to it.
const Borders kBorders[] = {
    {nullptr, "0.0.0.0", "0.255.255.255", "1.0.0.0"},
    {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
    {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
    {nullptr, "100.100.100.200", "100.100.100.200", nullptr},
    {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
    {"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"},
    {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
    {nullptr, "169.254.169.254", "169.254.169.254", nullptr},
    {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
    {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
    {nullptr, "192.0.0.192", "192.0.0.192", nullptr},
    {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
    {"192.31.195.255", "192.31.196.0", "192.31.196.255", "192.31.197.0"},
    {"192.52.192.255", "192.52.193.0", "192.52.193.255", "192.52.194.0"},
    {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
    {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
    {"192.175.47.255", "192.175.48.0", "192.175.48.255", "192.175.49.0"},
    {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
    {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
    {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
    {"223.255.255.255", "224.0.0.0", "239.255.255.255", nullptr},
    {nullptr, "240.0.0.0", "255.255.255.255", nullptr},

    {nullptr, "::", "::", nullptr},
    {nullptr, "::1", "::1", nullptr},
    {nullptr, "::8.8.8.8", "::8.8.8.8", nullptr},  // IPv4-compatible
    {nullptr, "::ffff:0.0.0.0", "::ffff:255.255.255.255", nullptr},
    {nullptr, "::ffff:8.8.8.8", "::ffff:8.8.8.8", nullptr},
    {nullptr, "::ffff:0:8.8.8.8", "::ffff:0:8.8.8.8", nullptr},  // IPv4-translated
    {nullptr, "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", nullptr},
    {nullptr, "64:ff9b::10.0.0.0", "64:ff9b::10.255.255.255", "64:ff9b::11.0.0.0"},
    {"64:ff9b::126.255.255.255", "64:ff9b::127.0.0.1", "64:ff9b::127.0.0.1", nullptr},
    {"64:ff9b::8.8.8.8", "64:ff9b::169.254.169.254", "64:ff9b::169.254.169.254", nullptr},
    {nullptr, "64:ff9b:0:0:0:1:808:808", "64:ff9b:0:0:0:1:808:808", nullptr},  // beside the /96
    {nullptr, "100::", "100::ffff:ffff:ffff:ffff", nullptr},
    {nullptr, "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
     "2000::1"},
    {"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", nullptr},
    {nullptr, "2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"},
    {"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
     "2001:db9::"},
    {"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
     "2003::"},
    {nullptr, "2002:808:808::1", "2002:808:808::1", nullptr},
    {"2620:4f:7fff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
     "2620:4f:8001::"},
    {"3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nullptr},
    {nullptr, "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"},
    {"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "4000::", nullptr},
    {nullptr, "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nullptr},
    {nullptr, "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nullptr},
    {nullptr, "fd00:ec2::254", "fd20:ce::254", nullptr},
    {nullptr, "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nullptr},
    {nullptr, "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nullptr},
    {nullptr, "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nullptr},
    {"2606:4700::1:5efd:808:808", "2606:4700::5efe:808:808", "2606:4700::200:5efe:808:808",
     "2606:4700::5eff:808:808"},
};

bool public_address(const char* text) { return is_public(Address::parse(text).value()); }

TEST(SpecialUse, EveryRangeHasItsExactBorders) {
  for (const auto& range : kBorders) {
    if (range.before != nullptr) {
      EXPECT_TRUE(public_address(range.before)) << range.before;
    }
    EXPECT_FALSE(public_address(range.first)) << range.first;
    EXPECT_FALSE(public_address(range.last)) << range.last;
    if (range.after != nullptr) {
      EXPECT_TRUE(public_address(range.after)) << range.after;
    }
  }
}

TEST(SpecialUse, PublicAddressesArePublic) {
  for (const char* text : {"1.1.1.1", "8.8.8.8", "140.82.121.4", "223.255.255.254", "2606:4700:4700::1111",
                           "2001:4860:4860::8888", "2a00:1450:4001:830::200e", "64:ff9b::1.1.1.1"})
    EXPECT_TRUE(public_address(text)) << text;
}

TEST(SpecialUse, SaysWhatAnAddressIsFor) {
  EXPECT_EQ(special_use(Address::parse("169.254.169.254").value()).value(),
            "link-local and cloud metadata (169.254.0.0/16)");
}

TEST(OwnAddress, IsKnownWithoutSending) {
  EXPECT_TRUE(is_own_address(Address::parse("127.0.0.1").value()).value());
  EXPECT_TRUE(is_own_address(Address::parse("127.9.9.9").value()).ok());
  // Where there is no route at all the answer is an error: never "somebody else's".
  auto far = is_own_address(Address::parse("192.0.2.1").value());
  if (far.ok()) {
    EXPECT_FALSE(*far);
  }
}

}  // namespace
}  // namespace belljar::net
