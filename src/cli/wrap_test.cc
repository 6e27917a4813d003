#include "cli/wrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::cli {
namespace {

using testing::ElementsAre;

TEST(Wrap, CutsNothing) {
  EXPECT_THAT(wrap("short"), ElementsAre("short"));
  EXPECT_THAT(wrap(""), ElementsAre(""));
  EXPECT_THAT(wrap("one two three four five", 12),
              ElementsAre("one two ", "      three ", "      four ", "      five"));
  EXPECT_THAT(wrap("\x1b[m", 12), ElementsAre("?[m"));
  for (std::size_t columns : {8U, 9U, 20U}) {
    std::string joined;
    for (const auto& line : wrap("漢字漢字漢字漢字 üüüüüüüüüüüüüüüüüüüüüüüüüü /a/b/c", columns))
      joined += joined.empty() ? line : line.substr(6);
    EXPECT_EQ(joined, "漢字漢字漢字漢字 üüüüüüüüüüüüüüüüüüüüüüüüüü /a/b/c");
  }
}

}  // namespace
}  // namespace belljar::cli
