#include "keeper/plan.h"

#include <gtest/gtest.h>

namespace belljar::keeper {
namespace {

Plan full_plan() {
  Plan plan;
  plan.spec = {.name = "app",
               .state_directory = "/state/app",
               .cache_directory = "/cache",
               .workspace = "/home/ada/app",
               .home = "/home/ada",
               .user_name = "ada",
               .programs = {{"/opt/one"}, {"/opt/two"}},
               .hidden = {"/state", "/cache"},
               .limits = {.memory = 1ULL << 32, .cpus = 1.5, .processes = 77},
               .allow_unguarded = true};
  policy::Rule rule;
  rule.verdict = policy::Verdict::allow;
  rule.host = policy::HostPattern::parse("api.example.com").value();
  rule.reason = "a test";
  plan.policy.rules.push_back(rule);
  plan.preparations.push_back(
      {.what = "installing",
       .request = {.arguments = {"npm", "i"}, .environment = {"A=b"}, .working_directory = "/"}});
  plan.request = {
      .arguments = {"claude", ""}, .environment = {"X=y", "Z="}, .working_directory = "/home/ada/app"};
  plan.libexec_directory = "/libexec";
  plan.ledger_directory = "/ledger";
  plan.outlives_command = true;
  return plan;
}

TEST(Plan, ComesBackAsItWas) {
  auto plan = full_plan();
  auto bytes = encode(plan);
  auto decoded = decode_plan(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.error().to_string();
  EXPECT_EQ(encode(*decoded), bytes);
  const auto& spec = decoded->spec;
  EXPECT_EQ(spec.name, "app");
  EXPECT_EQ(spec.state_directory, "/state/app");
  EXPECT_EQ(spec.cache_directory, "/cache");
  EXPECT_EQ(spec.workspace, "/home/ada/app");
  EXPECT_EQ(spec.home, "/home/ada");
  EXPECT_EQ(spec.user_name, "ada");
  ASSERT_EQ(spec.programs.size(), 2U);
  EXPECT_EQ(spec.programs[1].path, "/opt/two");
  EXPECT_EQ(spec.hidden, plan.spec.hidden);
  EXPECT_TRUE(spec.allow_unguarded);
  EXPECT_EQ(spec.limits.memory, plan.spec.limits.memory);
  EXPECT_EQ(spec.limits.cpus, plan.spec.limits.cpus);
  EXPECT_EQ(spec.limits.processes, plan.spec.limits.processes);
  ASSERT_EQ(decoded->policy.rules.size(), 1U);
  ASSERT_EQ(decoded->preparations.size(), 1U);
  EXPECT_EQ(decoded->preparations[0].request.arguments, plan.preparations[0].request.arguments);
  EXPECT_EQ(decoded->request.arguments, plan.request.arguments);
  EXPECT_EQ(decoded->request.environment, plan.request.environment);
  EXPECT_EQ(decoded->request.working_directory, plan.request.working_directory);
  EXPECT_TRUE(decoded->outlives_command);
}

TEST(Plan, RefusesEveryCutOfIt) {
  auto bytes = encode(full_plan());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_plan(BytesView(bytes).first(size)).ok()) << size;
}

TEST(ProgramWords, ComeBackAsTheyWere) {
  ProgramWords words{
      .arguments = {"sh", "-c", ""}, .environment = {"TERM=xterm"}, .working_directory = "/tmp"};
  EXPECT_EQ(decode_program_words(encode(words)).value(), words);
  EXPECT_FALSE(decode_program_words(encode(ProgramWords{})).ok());
}

}  // namespace
}  // namespace belljar::keeper
