#include "keeper/worker.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace belljar::keeper {
namespace {

class WorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    root_ = ::mkdtemp(name);
    ::unsetenv("BELLJAR_LOG");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  Worker start(const std::string& script) {
    EXPECT_TRUE(os::write_file_atomically(root_ + "/belljar-test", "#!/bin/sh\n" + script, 0700).ok());
    return start_worker(root_, "test").value();
  }
  std::string root_;
};

TEST_F(WorkerTest, HoldsNothingOfTheUsersStreams) {
  auto worker = start(
      "for n in 0 1 2; do if [ /proc/$$/fd/$n -ef /dev/null ]; then echo null >&2; elif [ -p /proc/$$/fd/$n "
      "]; "
      "then echo pipe >&2; fi; done; ls /proc/self/fd | tr '\\n' ' ' >&2");
  ASSERT_TRUE(worker.process.wait().ok());
  auto said = os::read_all(worker.errors.get(), 4096);
  ASSERT_TRUE(said.ok()) << said.error().to_string();
  EXPECT_EQ(said->find("null\nnull\npipe\n"), 0U) << *said;
  EXPECT_NE(said->find("\n0 1 2 3 4 "), std::string::npos) << *said;  // 4: the folder that ls reads
}

TEST_F(WorkerTest, SaysWhyItEnded) {
  auto worker = start("echo first line >&2; echo second >&2; exit 1");
  ASSERT_TRUE(worker.process.wait().ok());
  EXPECT_EQ(last_words(worker), "first line");
  auto silent = start("exit 0");
  EXPECT_EQ(last_words(silent), "");
}

}  // namespace
}  // namespace belljar::keeper
