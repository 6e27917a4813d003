#include "daemon/request_counter.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "os/fd.h"

namespace belljar::daemon {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMicroseconds = 1'000'000;

class RequestCounterTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    directory_ = ::mkdtemp(name);
    ASSERT_TRUE(os::create_directories(directory_ + "/daemon").ok());
    registry_.emplace(Registry::open(directory_ + "/daemon").value());
    entries_["app"] = {.name = "app", .created = 100};
    entries_["other"] = {.name = "other", .created = 100};
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static ledger::Entry entry(const std::string& jar, ledger::Kind kind, const std::string& verdict,
                             std::int64_t second = 200) {
    return {.time = second * kMicroseconds,
            .jar = jar,
            .source = "proxy",
            .event = ledger::encode(ledger::Event{.kind = kind, .verdict = verdict})};
  }
  void append(const std::vector<ledger::Entry>& entries) {
    auto store = ledger::Store::open(directory_ + "/ledger").value();
    ASSERT_TRUE(store.append(entries).ok());
  }
  RequestCounter open() { return RequestCounter::open(directory_ + "/ledger").value(); }
  RequestCount of(const std::string& jar) { return entries_[jar].requests; }

  std::string directory_;
  std::optional<Registry> registry_;
  std::map<std::string, RegistryEntry> entries_;
};

TEST_F(RequestCounterTest, CountsWhatTheLedgerHasOfEachJar) {
  append({entry("app", ledger::Kind::request, "allow"), entry("app", ledger::Kind::response, ""),
          entry("app", ledger::Kind::request, "deny"), entry("app", ledger::Kind::connection, "deny"),
          entry("app", ledger::Kind::resolve, "deny"), entry("app", ledger::Kind::lifecycle, ""),
          entry("other", ledger::Kind::request, "allow"), entry("gone", ledger::Kind::request, "allow")});
  auto counter = open();
  EXPECT_TRUE(counter.count(*registry_, entries_, milliseconds(1000)).value());
  EXPECT_EQ(of("app"), (RequestCount{1, 2}));
  EXPECT_EQ(of("other"), (RequestCount{1, 0}));
  EXPECT_EQ(registry_->counted_through().value(), 8U);
  // What came before is not counted again, by this one or by one that is started later.
  append({entry("app", ledger::Kind::request, "allow")});
  EXPECT_TRUE(counter.count(*registry_, entries_, milliseconds(1000)).value());
  EXPECT_EQ(of("app"), (RequestCount{2, 2}));
  auto later = open();
  append({entry("app", ledger::Kind::request, "allow")});
  EXPECT_TRUE(later.count(*registry_, entries_, milliseconds(1000)).value());
  EXPECT_EQ(of("app"), (RequestCount{3, 2}));
}

TEST_F(RequestCounterTest, EventsOfAnEarlierJarOfThatNameAreNotItsOwn) {
  append(
      {entry("app", ledger::Kind::request, "allow", 99), entry("app", ledger::Kind::request, "allow", 100)});
  EXPECT_TRUE(open().count(*registry_, entries_, milliseconds(1000)).value());
  EXPECT_EQ(of("app"), (RequestCount{1, 0}));
}

TEST_F(RequestCounterTest, GoesOnWhereItsTimeWasUp) {
  std::vector<ledger::Entry> many(4500, entry("app", ledger::Kind::request, "allow"));
  append(many);
  auto counter = open();
  int rounds = 1;
  while (!counter.count(*registry_, entries_, milliseconds(0)).value())
    ++rounds;
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(of("app"), (RequestCount{4500, 0}));
}

TEST_F(RequestCounterTest, NoticesAnotherLedger) {
  append({entry("app", ledger::Kind::request, "allow"), entry("app", ledger::Kind::request, "allow")});
  auto counter = open();
  EXPECT_TRUE(counter.count(*registry_, entries_, milliseconds(1000)).value());
  std::filesystem::rename(directory_ + "/ledger", directory_ + "/ledger.damaged");
  append({entry("app", ledger::Kind::request, "deny")});
  EXPECT_EQ(counter.count(*registry_, entries_, milliseconds(1000)).error().code(), ErrorCode::closed);
  EXPECT_TRUE(open().count(*registry_, entries_, milliseconds(1000)).value());
  EXPECT_EQ(of("app"), (RequestCount{0, 1}));
}

}  // namespace
}  // namespace belljar::daemon
