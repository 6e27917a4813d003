#include "review/queue.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "review/denials.h"

namespace belljar::review {
namespace {

using testing::HasSubstr;

Proposal host(std::string jar, std::string name, std::string method = "GET", std::uint16_t port = 443) {
  Proposal proposal{.kind = Kind::host, .first = 1, .last = 1, .jar = std::move(jar)};
  proposal.host = std::move(name);
  proposal.method = std::move(method);
  proposal.port = port;
  return proposal;
}

Decision decision(State state) { return {.state = state, .who = "ada (1000)", .time = 9, .why = "because"}; }

TEST(Queue, OneDecisionCountsForExactlyOneKindOfRequest) {
  Queue queue;
  auto first = queue.add(host("app", "a.example"));
  EXPECT_EQ(queue.add(host("app", "a.example")), first);
  EXPECT_EQ(queue.find(first).value().count, 2U);
  EXPECT_NE(queue.add(host("other", "a.example")), first);
  EXPECT_NE(queue.add(host("app", "b.example")), first);
  EXPECT_NE(queue.add(host("app", "a.example", "POST")), first);
  EXPECT_NE(queue.add(host("app", "a.example", "GET", 8443)), first);
  auto plain = host("app", "a.example");
  plain.scheme = policy::Scheme::http;
  EXPECT_NE(queue.add(plain), first);
  auto rule = rule_of(queue.find(first).value()).value();
  EXPECT_EQ(rule.methods, std::vector<std::string>{"GET"});
  EXPECT_EQ(rule.host.text(), "a.example");
  EXPECT_TRUE(rule.ports.empty());
}

TEST(Queue, AnApprovedFileIsApprovedToTheByteAndInItsPlace) {
  Queue queue;
  auto number = queue.add(propose_project("/w", "[jar]\n", 1));
  EXPECT_FALSE(queue.is_approved("/w", "[jar]\n"));
  ASSERT_TRUE(queue.decide(number, decision(State::approved)).ok());
  EXPECT_TRUE(queue.is_approved("/w", "[jar]\n"));
  EXPECT_FALSE(queue.is_approved("/w", "[jar]\n\n"));
  EXPECT_FALSE(queue.is_approved("/w", ""));
  EXPECT_FALSE(queue.is_approved("/v", "[jar]\n"));
  auto changed = queue.add(propose_project("/w", "[jar]\n#\n", 2));
  EXPECT_NE(changed, number);
  EXPECT_TRUE(queue.is_approved("/w", "[jar]\n")) << "as long as it is not rejected";
  ASSERT_TRUE(queue.decide(number, decision(State::rejected)).ok());
  EXPECT_FALSE(queue.is_approved("/w", "[jar]\n"));
}

TEST(Queue, ANewContentMakesTheOpenOneOutdatedUntilItIsBack) {
  Queue queue;
  auto old = queue.add(propose_project("/w", "1", 1));
  auto elsewhere = queue.add(propose_project("/v", "1", 1));
  auto current = queue.add(propose_project("/w", "2", 2));
  EXPECT_EQ(queue.find(old).value().state, State::outdated);
  EXPECT_EQ(queue.find(elsewhere).value().state, State::open);
  EXPECT_THAT(queue.decide(old, decision(State::approved)).error().message(), HasSubstr("replaced"));
  EXPECT_EQ(queue.add(propose_project("/w", "1", 3)), old);
  EXPECT_EQ(queue.find(old).value().state, State::open);
  EXPECT_EQ(queue.find(current).value().state, State::outdated);
}

// Who may write the file (a checkout, a jar that makes it anew) would else choose among all that ever
// counted.
TEST(Queue, AnOlderApprovalDoesNotOutliveANewerOneNorTheFile) {
  Queue queue;
  auto wide = queue.add(propose_project("/w", "wide", 1));
  auto elsewhere = queue.add(propose_project("/v", "wide", 1));
  ASSERT_TRUE(queue.decide(wide, decision(State::approved)).ok());
  ASSERT_TRUE(queue.decide(elsewhere, decision(State::approved)).ok());
  auto narrow = queue.add(propose_project("/w", "narrow", 2));
  ASSERT_TRUE(queue.decide(narrow, decision(State::approved)).ok());
  EXPECT_FALSE(queue.is_approved("/w", "wide"));
  EXPECT_TRUE(queue.is_approved("/w", "narrow"));
  EXPECT_TRUE(queue.is_approved("/v", "wide"));

  EXPECT_EQ(queue.add(propose_project("/w", "wide", 3)), wide);
  EXPECT_EQ(queue.find(wide).value().state, State::open);
  EXPECT_FALSE(queue.find(wide).value().decision.has_value());
  ASSERT_TRUE(queue.decide(wide, decision(State::approved)).ok());
  EXPECT_FALSE(queue.is_approved("/w", "narrow"));

  EXPECT_TRUE(queue.withdraw("/w"));
  EXPECT_FALSE(queue.withdraw("/w"));
  EXPECT_FALSE(queue.is_approved("/w", "wide"));
  EXPECT_TRUE(queue.is_approved("/v", "wide"));
  EXPECT_THAT(queue.check(wide, State::approved).error().message(), HasSubstr("removed"));
}

TEST(Queue, WhatCantBeDecidedIsSaid) {
  Queue queue;
  auto file = queue.add(propose_project("/w", "1", 1));
  auto name = queue.add(host("app", "a.example"));
  EXPECT_THAT(queue.check(77, State::approved).error().message(), HasSubstr("no proposal 77"));
  EXPECT_THAT(queue.check(file, State::always).error().message(), HasSubstr("exact content"));
  ASSERT_TRUE(queue.decide(name, decision(State::rejected)).ok());
  EXPECT_THAT(queue.check(name, State::rejected).error().message(), HasSubstr("rejected already"));
  auto decided = queue.decide(name, decision(State::always)).value();
  EXPECT_EQ(decided.decision->who, "ada (1000)");
  EXPECT_EQ(queue.check(name, State::rejected).error().hint(),
            "belljar allow --remove a.example --every-jar");
}

TEST(Queue, ADecidedOneStaysDecidedWhenItIsAskedForAgain) {
  Queue queue;
  auto name = queue.add(host("app", "a.example"));
  ASSERT_TRUE(queue.decide(name, decision(State::rejected)).ok());
  EXPECT_EQ(queue.add(host("app", "a.example")), name);
  EXPECT_EQ(queue.find(name).value().state, State::rejected);
}

std::size_t open_of(const Queue& queue, const std::string& jar) {
  std::size_t count = 0;
  for (const auto& proposal : queue.proposals())
    if (proposal.jar == jar && proposal.state == State::open) ++count;
  return count;
}

TEST(Queue, AJarThatAsksForEverNewHostsFillsOnlyItsOwnShare) {
  Queue queue;
  auto quiet = queue.add(host("quiet", "one.example"));
  auto first = queue.add(host("loud", "h0.example"));
  std::uint64_t highest = 0;
  for (std::size_t i = 1; i < 3 * kMaxOpenOfJar; ++i) {
    auto number = queue.add(host("loud", fmt::format("h{}.example", i)));
    EXPECT_GT(number, highest) << "a number is given once";
    highest = number;
  }
  EXPECT_EQ(open_of(queue, "loud"), kMaxOpenOfJar);
  EXPECT_EQ(queue.gave_way().at("loud"), 2 * kMaxOpenOfJar);
  EXPECT_EQ(queue.dropped().size(), 2 * kMaxOpenOfJar);
  EXPECT_FALSE(queue.find(first)) << "the oldest gives way";
  EXPECT_TRUE(queue.find(highest)) << "the newest is there";
  EXPECT_TRUE(queue.find(quiet));
  EXPECT_EQ(queue.gave_way().count("quiet"), 0U);
}

TEST(Queue, WhatAPersonHasSeenGivesWayLast) {
  Queue queue;
  auto seen = queue.add(host("loud", "seen.example"));
  EXPECT_TRUE(queue.mark_seen());
  EXPECT_FALSE(queue.mark_seen());
  auto decided = queue.add(host("loud", "decided.example"));
  ASSERT_TRUE(queue.decide(decided, decision(State::rejected)).ok());
  for (std::size_t i = 0; i < 2 * kMaxOpenOfJar; ++i)
    queue.add(host("loud", fmt::format("h{}.example", i)));
  EXPECT_TRUE(queue.find(seen));
  EXPECT_EQ(queue.find(decided).value().state, State::rejected);
  EXPECT_TRUE(queue.mark_seen());
  EXPECT_TRUE(queue.gave_way().empty()) << "it was told";
  auto newest = queue.add(host("loud", "newest.example"));
  EXPECT_TRUE(queue.find(newest)) << "also where all were seen";
}

ledger::Row denied(const std::string& name, const std::string& method = "GET") {
  ledger::Row row{.sequence = 1, .time = 5, .jar = "app", .source = "proxy"};
  row.event.kind = ledger::Kind::request;
  row.event.verdict = "deny";
  row.event.scheme = "https";
  row.event.host = name;
  row.event.port = 443;
  row.event.method = method;
  row.event.path = "/x";
  row.event.status = 403;
  return row;
}

TEST(Denials, OnlyWhatNoRuleHasAWordOnIsAQuestion) {
  policy::Policy policy;
  policy.rules.push_back({.verdict = policy::Verdict::allow,
                          .host = policy::HostPattern::parse("known.example").value(),
                          .paths = {"/only/**"}});
  policy.rules.push_back({.verdict = policy::Verdict::deny,
                          .host = policy::HostPattern::parse("*.bad.example").value(),
                          .methods = {"*"}});
  auto made = proposal_of(denied("new.example", "POST"), policy);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(binding_of(*made), "host app POST https new.example:443");
  EXPECT_TRUE(proposal_of(denied("known.example", "POST"), policy).has_value());
  EXPECT_FALSE(proposal_of(denied("known.example"), policy).has_value()) << "a path was missing";
  EXPECT_FALSE(proposal_of(denied("x.bad.example"), policy).has_value());
  for (const auto* name : {"10.0.0.1", "New.example", "host.belljar.internal", "a..b", ""})
    EXPECT_FALSE(proposal_of(denied(name), policy).has_value()) << name;
  EXPECT_FALSE(proposal_of(denied("new.example", "get"), policy).has_value());
  auto allowed = denied("new.example");
  allowed.event.verdict = "allow";
  EXPECT_FALSE(proposal_of(allowed, policy).has_value());
  auto by_rule = denied("new.example");
  by_rule.event.origin = "~/.config/belljar/config.toml:3:1";
  EXPECT_FALSE(proposal_of(by_rule, policy).has_value());
}

}  // namespace
}  // namespace belljar::review
