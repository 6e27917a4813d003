#include "base/secret.h"

#include <string>

#include <gtest/gtest.h>

namespace belljar {
namespace {

TEST(Secret, WipesTheTextItTakesOver) {
  std::string text = "hunter2";
  const char* inline_bytes = text.data();
  Secret secret(std::move(text));
  EXPECT_EQ(secret.reveal(), "hunter2");
  EXPECT_EQ(std::string(inline_bytes, 7), std::string(7, '\0'));
}

TEST(Secret, MovingLeavesNothingBehind) {
  Secret first(std::string("a rather long secret that does not fit inline"));
  Secret second = std::move(first);
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): what is left is the point
  EXPECT_EQ(second.reveal(), "a rather long secret that does not fit inline");
}

TEST(Wipe, OverwritesBeforeItEmpties) {
  std::string text(64, 'x');
  const char* bytes = text.data();
  wipe(text);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(bytes[63], '\0');
}

}  // namespace
}  // namespace belljar
