#include "cli/git_identity.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "os/fd.h"

namespace belljar::cli {
namespace {

TEST(GitIdentity, TakesNameAndEmailAndNothingElse) {
  char name[] = "/tmp/belljar-test-XXXXXX";
  std::string root = ::mkdtemp(name);
  keeper::Directories directories{.user_home = root, .config = root + "/.config/belljar"};
  EXPECT_EQ(git_identity(directories), "");
  ASSERT_TRUE(
      os::write_file_atomically(root + "/.gitconfig",
                                "[user]\n\tname = A \\\"B\\\" C\n\temail = a@example.org\n\tsigningkey = K\n"
                                "[credential]\n\thelper = store\n[http]\n\textraheader = Authorization: x\n")
          .ok());
  EXPECT_EQ(git_identity(directories), "[user]\n\temail = \"a@example.org\"\n\tname = \"A \\\"B\\\" C\"\n");
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace belljar::cli
