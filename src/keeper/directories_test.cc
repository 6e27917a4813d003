#include "keeper/directories.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace belljar::keeper {
namespace {

TEST(Directories, FollowTheXdgVariablesAndIgnoreRelativeOnes) {
  ::setenv("HOME", "/home/somebody/", 1);
  ::setenv("XDG_STATE_HOME", "/somewhere/else/for/state/that/is/long", 1);
  ::setenv("XDG_CONFIG_HOME", "relative", 1);
  ::unsetenv("XDG_CACHE_HOME");
  auto directories = find_directories().value();
  EXPECT_EQ(directories.user_home, "/home/somebody");
  EXPECT_EQ(directories.jars(), "/somewhere/else/for/state/that/is/long/belljar/jars");
  EXPECT_EQ(directories.config, "/home/somebody/.config/belljar");
  EXPECT_EQ(directories.cache, "/home/somebody/.cache/belljar");
}

TEST(Directories, NeedAHome) {
  ::setenv("HOME", "not/absolute", 1);
  auto directories = find_directories();
  ASSERT_FALSE(directories.ok());
  EXPECT_FALSE(directories.error().hint().empty());
}

}  // namespace
}  // namespace belljar::keeper
