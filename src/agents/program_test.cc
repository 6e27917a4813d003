#include "agents/program.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/fd.h"

namespace belljar::agents {
namespace {

using testing::ElementsAre;

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    root_ = std::filesystem::canonical(::mkdtemp(name));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string place(const std::string& path, const std::string& text, unsigned mode = 0755) {
    auto whole = root_ + "/" + path;
    std::filesystem::create_directories(std::filesystem::path(whole).parent_path());
    EXPECT_TRUE(os::write_file_atomically(whole, text, mode).ok());
    return whole;
  }
  std::string root_;
};

TEST_F(ProgramTest, AnNpmInstallationIsShownWithItsInterpreter) {
  auto node = place("node/bin/node", "ELF");
  place("lib/node_modules/agent/cli.js", "#!/usr/bin/env node\n");
  std::filesystem::create_directories(root_ + "/bin");
  std::filesystem::create_symlink("../lib/node_modules/agent/cli.js", root_ + "/bin/agent");
  auto program = find_program("agent", root_ + "/bin:" + root_ + "/node/bin", "");
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(program->interpreter, node);
  EXPECT_THAT(program->binds, ElementsAre(root_ + "/lib/node_modules", node));
}

TEST_F(ProgramTest, TheLoaderIsWhatTheProgramNames) {
  EXPECT_THAT(loader_of("/bin/sh"), testing::HasSubstr("/ld-"));
  EXPECT_EQ(loader_of(place("script", "#!/bin/sh\n")), "");
  EXPECT_EQ(loader_of(root_ + "/nothing"), "");
  auto whole = os::read_file("/bin/sh").value();
  EXPECT_EQ(loader_of(place("cut", whole.substr(0, 100))), "");
  for (std::size_t at = 0; at < 64; ++at) {  // whatever the head says, it is read within bounds
    auto wrong = whole.substr(0, 4096);
    wrong[at] = '\xff';
    (void)loader_of(place("wrong", wrong));
  }
}

TEST_F(ProgramTest, TheInterpreterIsAProgram) {
  auto secret = place("secret", "key", 0600);
  place("bin/agent", "#!" + secret + "\n");
  auto program = find_program("agent", root_ + "/bin", "");
  ASSERT_TRUE(program.has_value());
  EXPECT_THAT(program->binds, ElementsAre(root_ + "/bin/agent"));
}

TEST_F(ProgramTest, NothingOfTheWorkspaceIsAProgramOfTheHost) {
  auto workspace = root_ + "/work";
  place("work/bin/agent", "#!" + place("tool", "ELF") + "\n");
  std::filesystem::create_symlink(workspace + "/bin", root_ + "/linked-directory");
  std::filesystem::create_directories(root_ + "/links");
  std::filesystem::create_symlink(workspace + "/bin/agent", root_ + "/links/agent");
  for (const auto* path : {"/work/bin", "/linked-directory", "/links"}) {
    EXPECT_TRUE(find_program("agent", root_ + path, "").has_value()) << path;
    EXPECT_FALSE(find_program("agent", root_ + path, workspace).has_value()) << path;
  }
  // A link planted there to something else of the host.
  std::filesystem::remove(workspace + "/bin/agent");
  std::filesystem::create_symlink(root_ + "/tool", workspace + "/bin/agent");
  EXPECT_FALSE(find_program("agent", root_ + "/work/bin", workspace).has_value());
  place("working/bin/agent", "ELF");
  EXPECT_TRUE(find_program("agent", root_ + "/working/bin", workspace).has_value());
}

}  // namespace
}  // namespace belljar::agents
