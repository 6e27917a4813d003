#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/outline.h"

namespace belljar::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::variant<Command, Usage> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "belljar");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

template <typename T>
T command(std::vector<const char*> words) {
  auto parsed = parse(std::move(words));
  const auto* usage = std::get_if<Usage>(&parsed);
  EXPECT_EQ(usage, nullptr) << (usage != nullptr ? usage->text : "");
  return usage != nullptr ? T{} : std::get<T>(std::get<Command>(parsed));
}

Usage usage(std::vector<const char*> words) { return std::get<Usage>(parse(std::move(words))); }

TEST(Arguments, EverythingAfterAnAgentsNameIsTheAgents) {
  auto start = command<Start>({"--jar", "x", "claude", "-p", "--help", "--jar", "y"});
  EXPECT_EQ(start.agent, "claude");
  EXPECT_EQ(start.options.jar, "x");
  EXPECT_THAT(start.command, ElementsAre("-p", "--help", "--jar", "y"));
}

TEST(Arguments, RunTakesItsOptionsBeforeTheCommand) {
  auto start =
      command<Start>({"run", "--jar", "x", "-e", "A=1", "-e", "B", "--allow", "a.example", "--", "ls", "-l"});
  EXPECT_EQ(start.agent, "");
  EXPECT_EQ(start.options.jar, "x");
  EXPECT_THAT(start.options.variables, ElementsAre("A=1", "B"));
  EXPECT_THAT(start.options.allow, ElementsAre("a.example"));
  EXPECT_THAT(start.command, ElementsAre("ls", "-l"));
}

TEST(Arguments, ADoubleDashOfTheCommandStaysItsOwn) {
  EXPECT_THAT(command<Start>({"run", "--", "git", "diff", "--", "file"}).command,
              ElementsAre("git", "diff", "--", "file"));
  EXPECT_THAT(command<Start>({"run", "echo", "--", "x"}).command, ElementsAre("echo", "--", "x"));
  EXPECT_THAT(command<Start>({"codex", "--", "x"}).command, ElementsAre("--", "x"));
}

TEST(Arguments, RulesTakeMethodsPathsAndPorts) {
  auto change = command<ChangeRule>({"deny", "a.example", "--method", "POST", "--method", "PUT", "--path",
                                     "/x/**", "--port", "8443", "--every-jar"});
  EXPECT_FALSE(change.allow);
  EXPECT_TRUE(change.every_jar);
  EXPECT_THAT(change.methods, ElementsAre("POST", "PUT"));
  EXPECT_THAT(change.paths, ElementsAre("/x/**"));
  EXPECT_THAT(change.ports, ElementsAre(8443));
}

TEST(Arguments, AJarMayBeCalledLikeACommand) {
  for (const auto& other : command_outline().commands) {
    EXPECT_EQ(command<Attach>({"attach", other.name.c_str()}).jar, other.name);
    EXPECT_THAT(command<Remove>({"rm", other.name.c_str()}).jars, ElementsAre(other.name));
  }
}

TEST(Arguments, WhatAnOptionOfAStartTakesIsNoCommand) {
  for (const auto& option : command_outline().options)
    for (const auto& name : option.names) {
      if (option.value.empty()) continue;
      const char* value = name == "--cpus" || name == "--pids" ? "2" : "1h";
      if (name == "--memory" || name == "--disk") value = "1G";
      EXPECT_THAT(command<Start>({name.c_str(), value, "run", "--", "true"}).command, ElementsAre("true"))
          << name;
    }
}

TEST(Arguments, HelpIsNoFailureAndAMistakeIs) {
  EXPECT_EQ(usage({"--help"}).exit_code, 0);
  EXPECT_THAT(usage({"--help"}).text, HasSubstr("belljar claude"));
  EXPECT_EQ(usage({"run", "--help"}).exit_code, 0);
  EXPECT_EQ(usage({"nonsense"}).exit_code, 125);
  EXPECT_EQ(usage({"run"}).exit_code, 125);
  EXPECT_EQ(usage({"policy"}).exit_code, 125);
}

}  // namespace
}  // namespace belljar::cli
