#include "config/project.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "os/fd.h"

namespace belljar::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProjectFile : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-project-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    workspace_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(workspace_); }
  std::string workspace_;
};

TEST_F(ProjectFile, IsReadWhenItIsAPlainFile) {
  EXPECT_EQ(read_project_file(workspace_).value(), std::nullopt);
  ASSERT_TRUE(os::write_file_atomically(workspace_ + "/belljar.toml", "[jar]\n").ok());
  EXPECT_EQ(read_project_file(workspace_).value(), "[jar]\n");
}

TEST_F(ProjectFile, IsNotReadThroughALinkNorFromAFifoNorWithoutEnd) {
  std::filesystem::create_symlink("/etc/hostname", workspace_ + "/belljar.toml");
  EXPECT_THAT(read_project_file(workspace_).error().message(), HasSubstr("no plain file"));
  std::filesystem::remove(workspace_ + "/belljar.toml");
  ASSERT_EQ(::mkfifo((workspace_ + "/belljar.toml").c_str(), 0600), 0);
  EXPECT_THAT(read_project_file(workspace_).error().message(), HasSubstr("no plain file"));
  std::filesystem::remove(workspace_ + "/belljar.toml");
  ASSERT_TRUE(os::write_file_atomically(workspace_ + "/belljar.toml", std::string(70'000, '#')).ok());
  EXPECT_THAT(read_project_file(workspace_).error().message(), HasSubstr("longer than 64 KiB"));
}

TEST(Project, WhatItMayNotSayIsAnErrorWithItsPlace) {
  auto parsed =
      parse_project("[jar]\nbackend = \"namespace\"\nallow_unguarded = true\n[secret]\n[git]\n[scan]\n");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(
      parsed.error().message(),
      "belljar.toml:2:1: a project may not set \"backend\": it belongs in ~/.config/belljar/config.toml\n"
      "belljar.toml:3:1: a project may not set \"allow_unguarded\": it belongs in "
      "~/.config/belljar/config.toml\n"
      "belljar.toml:4:2: a project may not set \"secret\": it belongs in ~/.config/belljar/config.toml\n"
      "belljar.toml:5:2: a project may not set \"git\": it belongs in ~/.config/belljar/config.toml\n"
      "belljar.toml:6:2: a project may not set \"scan\": it belongs in ~/.config/belljar/config.toml");
}

TEST(Project, OfRootsItMayOnlyNameAnImageOfARegistryWhichWidens) {
  auto project = parse_project("[jar]\nroot = \"image\"\nimage = \"docker://debian:12\"\n").value();
  auto changes = changes_of(project, {});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_TRUE(changes[0].widens);
  EXPECT_THAT(changes[0].what, HasSubstr("make the jar's system of the image docker://debian:12"));
  EXPECT_EQ(changes[0].origin, "belljar.toml:3:9");
  EXPECT_TRUE(changes_of(project, project).empty());
  Config other = project;
  other.root = "auto";
  EXPECT_EQ(changes_of(project, other).size(), 1U);
  for (const auto* text :
       {"root = \"readonly\"", "root = \"auto\"", "root = 1", "root = \"image\"",
        "image = \"docker://debian:12\"", "root = \"image\"\nimage = \"oci:/home/ada/layout\"",
        "root = \"image\"\nimage = \"docker-archive:/home/ada/x.tar\""})
    EXPECT_FALSE(parse_project(std::string("[jar]\n") + text + "\n")) << text;
}

// 3500 times GET once hid the host of a rule behind the end of what was shown.
TEST(Project, WhatNobodyLooksThroughIsRefused) {
  auto said = [](const std::string& toml) {
    auto parsed = parse_project(toml);
    return parsed.ok() ? std::string() : parsed.error().message();
  };
  const std::string rule = "[[egress.allow]]\nhost = \"evil.example\"\n";
  EXPECT_EQ(said(rule + "methods = [\"GET\", \"POST\"]\nports = [80, 443]\npaths = [\"/a\", \"/b\"]\n"), "");
  EXPECT_EQ(said(rule + "methods = [\"GET\", \"POST\", \"GET\"]\n"),
            "belljar.toml:3:27: this stands in the list twice");
  EXPECT_THAT(said(rule + "ports = [80, 80]\n"), HasSubstr("twice"));
  EXPECT_THAT(said(rule + "paths = [\"/a\", \"/b\",\n\"/a\"]\n"), HasSubstr("belljar.toml:4:1: this stands"));
  auto ports = [&](int count) {
    std::string list;
    for (int n = 1; n <= count; ++n)
      list += std::to_string(n) + ",\n";
    return rule + "ports = [" + list + "]\n";
  };
  EXPECT_EQ(said(ports(64)), "");
  EXPECT_THAT(said(ports(65)), HasSubstr("at most 64 items"));
  std::string rules;
  for (int n = 0; n < 65; ++n)
    rules += "[[egress.allow]]\nhost = \"h" + std::to_string(n) + ".example\"\n";
  EXPECT_THAT(said(rules), HasSubstr("at most 64 items"));
  EXPECT_EQ(said("#" + std::string(1023, ' ') + "\n"), "");
  EXPECT_THAT(said("[env]\n#" + std::string(1024, ' ')), HasSubstr("belljar.toml:2:1: a line"));
}

TEST(Project, EveryWideningIsShownAsSuch) {
  auto user = parse_config("[limits]\nmemory = \"2G\"\ncpus = 2.0\npids = 100\n", "user").value();
  auto project = parse_project(R"([jar]
agent = "claude"
[[egress.allow]]
host = "api.example.com"
methods = ["GET", "POST"]
paths = ["/v1/**"]
[[egress.allow]]
registry = "npm"
[[egress.deny]]
host = "telemetry.example.com"
[limits]
memory = "4G"
cpus = 1.0
pids = 100
[services]
ollama = 11434
[env]
EDITOR = "vi"
pass = ["GOFLAGS"]
)")
                     .value();
  std::vector<std::string> wider;
  std::vector<std::string> others;
  for (const auto& change : changes_of(project, user)) {
    EXPECT_THAT(change.origin, testing::StartsWith("belljar.toml:")) << change.what;
    (change.widens ? wider : others).push_back(change.what);
  }
  EXPECT_THAT(wider, ElementsAre("api.example.com: allow GET, POST (paths /v1/**)",
                                 "the registries of npm: allow GET, HEAD (any path)",
                                 "limits.memory = 4G (yours is 2G)",
                                 "reach the service ollama on port 11434 of this host",
                                 "pass your variable GOFLAGS into the jar"));
  EXPECT_THAT(others,
              ElementsAre("jar.agent = \"claude\"", "telemetry.example.com: deny every method (any path)",
                          "limits.cpus = 1 (yours is 2)", "set EDITOR=vi"));
}

}  // namespace
}  // namespace belljar::config
