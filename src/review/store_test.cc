#include "review/store.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::review {
namespace {

using testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-review-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::uint64_t add(const std::string& content) {
    std::uint64_t number = 0;
    auto store = Store::open(directory_).value();
    EXPECT_TRUE(store
                    .change([&](Content& all) -> Result<void> {
                      number = all.queue.add(propose_project("/w", content, 1));
                      return {};
                    })
                    .ok());
    return number;
  }
  std::string directory_;
};

TEST_F(StoreTest, WhatGaveWayIsGoneAndCounted) {
  auto add_many = [](Content& all) -> Result<void> {
    for (std::size_t i = 0; i < kMaxOpenOfJar + 3; ++i) {
      Proposal asked{.kind = Kind::host, .jar = "loud"};
      asked.host = "h" + std::to_string(i) + ".example";
      all.queue.add(asked);
    }
    return {};
  };
  auto mark = [](Content& all) -> Result<void> {
    (void)all.queue.mark_seen();
    return {};
  };
  auto store = Store::open(directory_).value();
  ASSERT_TRUE(store.change(add_many).ok());
  auto all = store.load().value();
  EXPECT_EQ(all.queue.proposals().size(), kMaxOpenOfJar);
  EXPECT_EQ(all.queue.proposals().front().number, 4U);
  EXPECT_EQ(all.queue.gave_way().at("loud"), 3U);
  ASSERT_TRUE(store.change(mark).ok());
  all = store.load().value();
  EXPECT_TRUE(all.queue.gave_way().empty());
  EXPECT_TRUE(all.queue.proposals().front().seen);
}

TEST_F(StoreTest, KeepsEverythingAProposalSays) {
  Proposal asked{.kind = Kind::host, .first = 3, .last = 4, .jar = "app"};
  asked.scheme = policy::Scheme::http;
  asked.host = "a.example";
  asked.port = 8080;
  asked.method = "PUT";
  std::string content("\0[jar]\n\xff", 8);
  {
    auto store = Store::open(directory_).value();
    ASSERT_TRUE(store
                    .change([&](Content& all) -> Result<void> {
                      all.queue.add(asked);
                      auto file = all.queue.add(propose_project("/w x", content, 1));
                      all.ledger_read = 42;
                      TRY(all.queue.decide(file, {State::approved, "ada (1000)", 7, "read it"}));
                      return {};
                    })
                    .ok());
  }
  auto all = Store::open(directory_).value().load().value();
  EXPECT_EQ(all.ledger_read, 42U);
  ASSERT_EQ(all.queue.proposals().size(), 2U);
  EXPECT_EQ(binding_of(all.queue.proposals()[0]), binding_of(asked));
  EXPECT_EQ(all.queue.proposals()[0].last, 4);
  EXPECT_TRUE(all.queue.is_approved("/w x", content));
  const auto& decision = all.queue.proposals()[1].decision;
  ASSERT_TRUE(decision.has_value());
  EXPECT_EQ(decision->who + decision->why, "ada (1000)read it");
  struct stat info {};
  ASSERT_EQ(::stat((directory_ + "/review.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_F(StoreTest, AChangeThatFailsChangesNothing) {
  add("1");
  auto store = Store::open(directory_).value();
  auto failed = store.change([](Content& all) -> Result<void> {
    all.queue.add(propose_project("/w", "2", 1));
    return Error(ErrorCode::internal, "no");
  });
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(store.load().value().queue.proposals().size(), 1U);
}

TEST_F(StoreTest, ProcessesThatWriteAtOnceLoseNothing) {
  add("start");
  constexpr int kWriters = 4, kEach = 8;
  for (int writer = 0; writer < kWriters; ++writer)
    if (::fork() == 0) {
      for (int i = 0; i < kEach; ++i)
        add(std::to_string(writer) + "/" + std::to_string(i));
      ::_exit(HasFailure() ? 1 : 0);
    }
  for (int writer = 0; writer < kWriters; ++writer) {
    int status = 1;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Store::open(directory_).value().load().value().queue.proposals().size(), 1U + kWriters * kEach);
}

TEST_F(StoreTest, ADamagedFileIsNamedWithWhatToDoAndLeftAlone) {
  add("1");
  std::ofstream(directory_ + "/review.db") << std::string(8192, 'x');
  auto store = Store::open(directory_);
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().to_string(), HasSubstr("review.db is damaged"));
  EXPECT_THAT(store.error().hint(), HasSubstr("mv "));
  EXPECT_EQ(std::filesystem::file_size(directory_ + "/review.db"), 8192U);
}

TEST_F(StoreTest, AnApprovalThatDoesNotFitItsContentIsNotBelieved) {
  auto number = add("1");
  auto database = ledger::Database::open(directory_ + "/review.db", false).value();
  ASSERT_TRUE(database.execute("UPDATE proposals SET content = x'32', state = 1").ok());
  auto all = Store::open(directory_).value().load();
  ASSERT_FALSE(all.ok());
  EXPECT_THAT(all.error().to_string(), HasSubstr("proposal " + std::to_string(number) + " does not hold"));
}

TEST_F(StoreTest, ANewerVersionsFileIsRefused) {
  add("1");
  auto database = ledger::Database::open(directory_ + "/review.db", false).value();
  ASSERT_TRUE(database.execute("PRAGMA user_version = 3").ok());
  EXPECT_EQ(Store::open(directory_).error().code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace belljar::review
