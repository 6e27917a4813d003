#include "cli/environment.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace belljar::cli {
namespace {

TEST(Environment, TakesOnlyWhatIsListed) {
  ::setenv("AWS_SECRET_ACCESS_KEY", "canary", 1);
  ::setenv("SSH_AUTH_SOCK", "/tmp/agent", 1);
  ::setenv("HTTPS_PROXY", "http://proxy", 1);
  ::setenv("LC_TIME", "de_DE.UTF-8", 1);
  ::setenv("TERM", "xterm-256color", 1);
  auto environment = base_environment({.jar = "app", .home = "/home/x", .user_name = "x"});
  for (const char* name : {"AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "HTTPS_PROXY", "XDG_RUNTIME_DIR"})
    EXPECT_FALSE(environment.contains(name)) << name;
  EXPECT_EQ(environment["LC_TIME"], "de_DE.UTF-8");
  EXPECT_EQ(environment["TERM"], "xterm-256color");
  EXPECT_EQ(environment["HOME"], "/home/x");
  EXPECT_EQ(environment["NODE_EXTRA_CA_CERTS"], environment["SSL_CERT_FILE"]);
}

TEST(Environment, AVariableIsSetOrPassed) {
  ::setenv("PASSED", "from the host", 1);
  ::unsetenv("ABSENT");
  Environment environment;
  ASSERT_TRUE(add_variable(environment, "SET=a=b").ok());
  ASSERT_TRUE(add_variable(environment, "PASSED").ok());
  ASSERT_TRUE(add_variable(environment, "ABSENT").ok());
  EXPECT_EQ(environment, (Environment{{"SET", "a=b"}, {"PASSED", "from the host"}}));
  EXPECT_FALSE(add_variable(environment, "1X=y").ok());
  EXPECT_FALSE(add_variable(environment, "=y").ok());
}

}  // namespace
}  // namespace belljar::cli
