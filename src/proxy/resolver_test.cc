#include "proxy/resolver.h"

#include <gtest/gtest.h>

#include "gateway/testing.h"

namespace belljar::proxy {
namespace {

using dns::Transport;

Bytes query(std::string_view name, std::uint16_t type) {
  Bytes out = {0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  while (!name.empty()) {
    auto dot = std::min(name.find('.'), name.size());
    out.push_back(static_cast<std::uint8_t>(dot));
    out.insert(out.end(), name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dot));
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  for (int byte : {0, type >> 8, type & 255, 0, 1})
    out.push_back(static_cast<std::uint8_t>(byte));
  return out;
}

int rcode_of(const Bytes& answer) { return answer.at(3) & 15; }
int answers_of(const Bytes& answer) { return answer.at(6) << 8 | answer.at(7); }
std::uint32_t address_of(const Bytes& answer) {
  std::uint32_t address = 0;
  for (std::size_t i = answer.size() - 4; i < answer.size(); ++i)
    address = address << 8 | answer[i];
  return address;
}

class ResolverTest : public testing::Test {
 protected:
  ResolverTest() { policy_.rules.push_back(gateway::allow_rule("allowed.test")); }
  Bytes ask(std::string_view name, std::uint16_t type = dns::kA) {
    return resolver_.answer(query(name, type), Transport::udp).value();
  }

  policy::Policy policy_;
  dns::NamePool names_;
  gateway::MemoryRecorder recorder_;
  Resolver resolver_{policy_, names_, recorder_};
};

TEST_F(ResolverTest, ANameHasOneAddressAndItLeadsBackToTheName) {
  auto first = ask("allowed.test");
  EXPECT_EQ(rcode_of(first), 0);
  EXPECT_EQ(answers_of(first), 1);
  EXPECT_EQ(names_.name_of(address_of(first)), "allowed.test");
  EXPECT_EQ(address_of(ask("AllOwed.TEST")), address_of(first));
  EXPECT_TRUE(recorder_.events.empty());
}

TEST_F(ResolverTest, ADeniedNameHasOneTooSoThatItsConnectionCanBeAnswered) {
  auto answer = ask("denied.test");
  EXPECT_EQ(names_.name_of(address_of(answer)), "denied.test");
  ASSERT_EQ(recorder_.events.size(), 1U);
  EXPECT_EQ(recorder_.events[0].kind, ledger::Kind::resolve);
  EXPECT_EQ(recorder_.events[0].verdict, "deny");
  EXPECT_EQ(recorder_.events[0].host, "denied.test");
}

TEST_F(ResolverTest, OtherTypesHaveNoData) {
  for (std::uint16_t type :
       std::initializer_list<std::uint16_t>{16, 15, dns::kAaaa, dns::kSvcb, dns::kHttps, 12}) {
    auto answer = ask("allowed.test", type);
    EXPECT_EQ(rcode_of(answer), 0) << type;
    EXPECT_EQ(answers_of(answer), 0) << type;
  }
  EXPECT_EQ(names_.size(), 0U);
}

TEST_F(ResolverTest, NamesThatNoHostCanHaveDoNotExist) {
  EXPECT_EQ(rcode_of(ask("127.1")), 3);
  EXPECT_EQ(names_.size(), 0U);
}

TEST_F(ResolverTest, AFloodOfDeniedNamesGetsNothingAndLeavesRoomForAllowedOnes) {
  int with_address = 0;
  for (int i = 0; i < 2000; ++i)
    with_address += answers_of(ask("label" + std::to_string(i) + ".evil.test"));
  EXPECT_LE(with_address, 300);
  EXPECT_LE(recorder_.events.size(), 100U);
  EXPECT_EQ(answers_of(ask("allowed.test")), 1);
  EXPECT_EQ(answers_of(ask("label0.evil.test")), 1);  // one that has an address keeps it
}

TEST_F(ResolverTest, GarbageIsDroppedOrRefused) {
  EXPECT_FALSE(resolver_.answer({}, Transport::udp).has_value());
  EXPECT_FALSE(resolver_.answer(Bytes(3, 0xff), Transport::udp).has_value());
  const auto cut = query("allowed.test", dns::kA);
  auto answer = resolver_.answer(BytesView(cut).first(cut.size() - 3), Transport::udp);
  EXPECT_TRUE(!answer || rcode_of(*answer) != 0);
}

}  // namespace
}  // namespace belljar::proxy
