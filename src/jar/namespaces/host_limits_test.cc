#include "jar/namespaces/host_limits.h"

#include <cerrno>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "os/fd.h"

namespace belljar::jar {
namespace {

using ::testing::HasSubstr;

class HostLimitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-sysctl-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    for (const auto* folder : {"user", "kernel"})
      std::filesystem::create_directory(root_ + "/" + folder);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void set(const std::string& name, const std::string& value) const {
    os::write_file_atomically(root_ + "/" + name, value + "\n").value();
  }
  std::string root_;
};

TEST_F(HostLimitsTest, NamesTheSettingThatIsZero) {
  set("user/max_user_namespaces", "1000");
  set("user/max_net_namespaces", "0");
  auto error = explain_refusal(ENOSPC, root_);
  EXPECT_THAT(error.to_string(), HasSubstr("user.max_net_namespaces is 0"));
  EXPECT_EQ(error.hint(), "sudo sysctl -w user.max_net_namespaces=10000");
}

TEST_F(HostLimitsTest, NamesWhatForbidsThem) {
  set("kernel/unprivileged_userns_clone", "0");
  EXPECT_THAT(explain_refusal(EPERM, root_).to_string(), HasSubstr("unprivileged_userns_clone is 0"));
  set("kernel/unprivileged_userns_clone", "1");
  EXPECT_EQ(userns_restriction(root_), "");
  set("kernel/apparmor_restrict_unprivileged_userns", "1");
  EXPECT_THAT(explain_refusal(EACCES, root_).to_string(), HasSubstr("AppArmor"));
  EXPECT_NE(userns_restriction(root_), "");
}

TEST_F(HostLimitsTest, ElseSaysWhatTheKernelSaid) {
  EXPECT_THAT(explain_refusal(ENOMEM, root_).to_string(), HasSubstr("create the jar's namespaces"));
  EXPECT_THAT(explain_refusal(ENOSPC, root_).to_string(), HasSubstr("used up"));
}

}  // namespace
}  // namespace belljar::jar
