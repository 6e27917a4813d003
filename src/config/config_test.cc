#include "config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::config {
namespace {

using policy::Scheme;
using policy::Verdict;
using testing::ElementsAre;

std::string complaint(std::string_view toml) {
  auto config = parse_config(toml, "c.toml");
  return config ? "no complaint" : config.error().message();
}

TEST(Config, ReadsWhatItsPageShows) {
  auto config = parse_config(R"(
[jar]
agent     = "claude"
backend   = "auto"
workspace = "bind"

[[egress.allow]]
registry = ["npm", "pypi"]
methods = ["GET", "HEAD"]

[[egress.allow]]
host  = "api.GitHub.com"
paths = ["/repos/acme/app/**"]
reason = "issues"

[[egress.allow]]
host = ["a.example", "*.b.example"]
methods = "*"
ports = [8443]
schemes = ["http", "https"]

[[egress.deny]]
host = "bad.b.example"

[limits]
memory = "4G"
cpus = 2.5
pids = 1024

[services]
ollama = 11434

[env]
EDITOR = "vi"
pass = ["LANG", "TERM"]
)",
                             "c.toml");
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->agent, "claude");
  EXPECT_EQ(config->backend, "auto");
  EXPECT_EQ(config->workspace, "bind");
  ASSERT_EQ(config->registries.size(), 1U);
  EXPECT_THAT(config->registries[0].registries, ElementsAre("npm", "pypi"));
  ASSERT_EQ(config->rules.size(), 4U);
  const auto& github = config->rules[0];
  EXPECT_EQ(github.verdict, Verdict::allow);
  EXPECT_EQ(github.host.text(), "api.github.com");
  EXPECT_THAT(github.methods, ElementsAre("GET", "HEAD"));
  EXPECT_THAT(github.schemes, ElementsAre(Scheme::https));
  EXPECT_EQ(github.reason, "issues");
  EXPECT_EQ(github.origin, "c.toml:11:1");
  EXPECT_EQ(config->rules[2].host.text(), "*.b.example");
  EXPECT_THAT(config->rules[2].methods, ElementsAre("*"));
  EXPECT_THAT(config->rules[2].ports, ElementsAre(8443));
  const auto& denied = config->rules[3];
  EXPECT_EQ(denied.verdict, Verdict::deny);
  EXPECT_THAT(denied.methods, ElementsAre("*"));
  EXPECT_THAT(denied.schemes, ElementsAre(Scheme::http, Scheme::https));
  EXPECT_EQ(config->limits.memory, 4ULL << 30);
  EXPECT_EQ(config->limits.cpus, 2.5);
  EXPECT_EQ(config->limits.processes, 1024U);
  ASSERT_EQ(config->services.size(), 1U);
  EXPECT_EQ(config->services[0].name, "ollama");
  EXPECT_EQ(config->services[0].port, 11434);
  EXPECT_EQ(config->variables.at("EDITOR"), "vi");
  EXPECT_EQ(config->variables.size(), 1U);
  EXPECT_THAT(config->passed_variables, ElementsAre("LANG", "TERM"));
}

TEST(Config, TellsUnknownKeysWithTheNearestKnownOne) {
  EXPECT_EQ(complaint("[jar]\nagnet = \"claude\"\n"),
            "c.toml:2:1: unknown key \"agnet\" in [jar]; did you mean \"agent\"?");
  EXPECT_EQ(complaint("[jra]\n"),
            "c.toml:1:2: unknown key \"jra\" in the configuration; did you mean \"jar\"?");
  EXPECT_EQ(complaint("[jar]\n  colour = 1\n"), "c.toml:2:3: unknown key \"colour\" in [jar]");
  EXPECT_EQ(complaint("[[egress.alow]]\nhost = \"a.example\"\n"),
            "c.toml:1:10: unknown key \"alow\" in [egress]; did you mean \"allow\"?");
  EXPECT_EQ(complaint("[[egress.allow]]\nhost = \"a.example\"\nmethod = \"GET\"\n"),
            "c.toml:3:1: unknown key \"method\" in [[egress.allow]]; did you mean \"methods\"?");
}

TEST(Config, TellsWrongTypesAndValues) {
  EXPECT_EQ(complaint("[jar]\nagent = 3\n"), "c.toml:2:9: \"agent\" must be a text, not a whole number");
  EXPECT_EQ(complaint("jar = 1\n"),
            "c.toml:1:7: \"jar\" must be a table, written as [jar], not a whole number");
  EXPECT_EQ(complaint("[egress]\nallow = \"x\"\n"),
            "c.toml:2:9: \"allow\" must be a list of tables, each written as [[allow]], not a text");
  EXPECT_EQ(complaint("[jar]\nbackend = \"namespaces\"\n"),
            "c.toml:2:11: \"backend\" can't be \"namespaces\" (known: \"auto\", \"namespace\"); did you mean "
            "\"namespace\"?");
  EXPECT_EQ(complaint("[limits]\nmemory = \"4GB\"\n"),
            "c.toml:2:10: \"memory\" must be a size like \"4G\" or \"512M\", or a number of bytes");
  EXPECT_EQ(complaint("[limits]\ncpus = true\n"),
            "c.toml:2:8: \"cpus\" must be a number of cores from 0.01, like 2.0");
  EXPECT_EQ(complaint("[services]\nollama = 70000\n"),
            "c.toml:2:10: the service \"ollama\" needs its port, a number from 1 to 65535");
  EXPECT_EQ(complaint("[env]\n\"A=B\" = \"x\"\n"), "c.toml:2:1: \"A=B\" can't name a variable");
}

TEST(Config, TellsRulesThatMeanNothing) {
  EXPECT_EQ(complaint("[[egress.allow]]\n"),
            "c.toml:1:1: [[egress.allow]] needs either \"host\" or \"registry\"");
  EXPECT_EQ(
      complaint("[[egress.allow]]\nhost = \"10.0.0.1\"\n"),
      "c.toml:2:8: \"10.0.0.1\" is not a host name: it reads as an address; rules and requests name hosts");
  EXPECT_EQ(complaint("[[egress.allow]]\nhost = \"*\"\n"),
            "c.toml:2:8: a rule for every host is not possible: name the hosts");
  EXPECT_EQ(complaint("[[egress.allow]]\nhost = \"a.example\"\nmethods = [\"post\"]\n"),
            "c.toml:3:12: \"post\" is not a method: they are upper case, as in \"POST\"; \"*\" is any");
  EXPECT_EQ(complaint("[[egress.allow]]\nhost = \"a.example\"\npaths = [\"/a/../b\"]\n"),
            "c.toml:3:10: the path pattern \"/a/../b\" is refused as a path: the path has a dot segment; "
            "patterns look like "
            "/repos/acme/**");
  EXPECT_EQ(complaint("[[egress.allow]]\nregistry = \"nmp\"\n"),
            "c.toml:2:12: unknown registry \"nmp\" (known: npm, pypi, apt); did you mean \"npm\"?");
  EXPECT_EQ(complaint("[[egress.allow]]\nhost = \"host.belljar.internal\"\n"),
            "c.toml:2:8: host.belljar.internal has services, not rules: name them under [services]");
}

TEST(Config, RefusesWhatALaterVersionWillKnow) {
  EXPECT_EQ(complaint("[[secret]]\nname = \"X\"\n"),
            "c.toml:1:3: \"secret\" is not yet supported in this version");
  EXPECT_EQ(complaint("[scan]\non_match = \"hold\"\n"),
            "c.toml:1:2: \"scan\" is not yet supported in this version");
  EXPECT_EQ(complaint("[git]\n"), "c.toml:1:2: \"git\" is not yet supported in this version");
  EXPECT_EQ(complaint("[limits]\nbudget = \"20 USD/day\"\n"),
            "c.toml:2:1: \"budget\" is not yet supported in this version");
  EXPECT_EQ(complaint("[jar]\nworkspace = \"worktree\"\n"),
            "c.toml:2:13: workspace \"worktree\" is not yet supported in this version (known: \"bind\")");
}

TEST(Config, TellsAllErrorsOfAFileInItsOrder) {
  EXPECT_EQ(complaint("[limits]\npids = 0\n[jar]\nagent = 1\nfoo = 2\n"),
            "c.toml:2:8: \"pids\" must be a whole number of processes from 1\n"
            "c.toml:4:9: \"agent\" must be a text, not a whole number\n"
            "c.toml:5:1: unknown key \"foo\" in [jar]");
}

TEST(Config, TellsWhereTheTomlEnds) {
  EXPECT_THAT(complaint("[jar]\nagent = \"x\n"), testing::StartsWith("c.toml:2:"));
  EXPECT_THAT(complaint("a = 1\na = 2\n"), testing::StartsWith("c.toml:2:"));
  EXPECT_THAT(complaint("a = " + std::string(10'000, '[')), testing::StartsWith("c.toml:1:"));
  EXPECT_THAT(complaint(std::string("a = \"\xff\"\n")), testing::StartsWith("c.toml:1:"));
  EXPECT_THAT(complaint(std::string(10'000, '[')), testing::StartsWith("c.toml:"));
}

TEST(Config, AnAbsentFileSaysNothing) {
  auto config = load_config("/nonexistent/config.toml", "c.toml", {});
  ASSERT_TRUE(config.ok());
  EXPECT_TRUE(config->rules.empty());
}

TEST(Config, WhatAJarSaysAddsToOrReplacesWhatTheUserSays) {
  auto user = parse_config(
                  "[jar]\nagent = \"a\"\n[limits]\npids = 5\ncpus = 1\n[env]\nX = \"1\"\nY = \"1\"\n"
                  "[[egress.allow]]\nhost = \"a.example\"\n",
                  "u")
                  .value();
  auto jar =
      parse_config("[limits]\npids = 9\n[env]\nX = \"2\"\n[[egress.deny]]\nhost = \"a.example\"\n", "j")
          .value();
  auto both = merge(user, jar);
  EXPECT_EQ(both.agent, "a");
  EXPECT_EQ(both.limits.processes, 9U);
  EXPECT_EQ(both.limits.cpus, 1.0);
  EXPECT_EQ(both.variables.at("X"), "2");
  EXPECT_EQ(both.variables.at("Y"), "1");
  EXPECT_EQ(both.rules.size(), 2U);
}

TEST(Config, EveryValueKnowsWhereItStandsAndTheLaterOneWins) {
  auto user =
      parse_config("[jar]\nagent = \"codex\"\n[limits]\nmemory = \"2G\"\ncpus = 1\n", "user.toml").value();
  auto jar =
      parse_config("[limits]\nmemory = \"1G\"\n[env]\nA = \"b\"\npass = [\"X\"]\n", "jar.toml").value();
  auto all = merge(user, jar);
  EXPECT_EQ(all.limits.memory, 1U << 30);
  EXPECT_THAT(
      all.origins,
      ElementsAre(testing::Pair("env.A", "jar.toml:4:5"), testing::Pair("env.pass.X", "jar.toml:5:9"),
                  testing::Pair("jar.agent", "user.toml:2:9"), testing::Pair("limits.cpus", "user.toml:5:8"),
                  testing::Pair("limits.memory", "jar.toml:2:10")));
}

TEST(Config, SizesReadAsTheyAreWritten) {
  for (const auto* text : {"1", "1023", "1K", "1536M", "4G", "2T"})
    EXPECT_EQ(format_size(parse_size(text).value()), text);
  EXPECT_EQ(format_size(1024ULL << 40), "1024T");
  for (const auto* text : {"", "0", "G", "4 G", "4GB", "-1", "99999999999999999999"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

}  // namespace
}  // namespace belljar::config
