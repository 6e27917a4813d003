#include "egress/host_files.h"

#include <gmock/gmock.h>

namespace belljar::egress {
namespace {

using testing::ElementsAre;

TEST(HostFiles, NamesOfHostsAreLowerCaseAndKeepTheirOrder) {
  auto table = parse_hosts(
      "127.0.0.1 localhost\n# 9.9.9.9 no\n10.0.0.7\tRegistry.Corp registry # inner\n::1 localhost\n");
  EXPECT_THAT(table["localhost"], ElementsAre("127.0.0.1", "::1"));
  EXPECT_THAT(table["registry.corp"], ElementsAre("10.0.0.7"));
  EXPECT_THAT(table["registry"], ElementsAre("10.0.0.7"));
  EXPECT_EQ(table.size(), 3U);
}

TEST(HostFiles, LinesThatMakeNoSenseAreLeftOut) {
  EXPECT_TRUE(parse_hosts("10.0.0.1\n\n   \n#\n").empty());
  EXPECT_TRUE(parse_hosts("").empty());
}

TEST(HostFiles, AtMostThreeNameServers) {
  EXPECT_THAT(parse_name_servers("search a.b\nnameserver 1.1.1.1 ; one\nnameserver ::1\noptions edns0\n"
                                 "nameserver 3.3.3.3\nnameserver 4.4.4.4"),
              ElementsAre("1.1.1.1", "::1", "3.3.3.3"));
  EXPECT_THAT(parse_name_servers("# nameserver 1.1.1.1\n"), ElementsAre("127.0.0.1"));
}

}  // namespace
}  // namespace belljar::egress
