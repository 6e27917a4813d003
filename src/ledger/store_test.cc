#include "ledger/store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/directory_test.h"

namespace belljar::ledger {
namespace {

using testing::HasSubstr;

class StoreTest : public LedgerTest {
 protected:
  void fill(int count) {
    auto store = Store::open(directory_);
    ASSERT_TRUE(store.ok()) << store.error().to_string();
    for (int i = 1; i <= count; ++i)
      ASSERT_TRUE(store->append({entry("host" + std::to_string(i))}).ok());
  }
  void tamper(const std::string& sql) {
    auto database = Database::open(directory_ + "/ledger.db", false);
    ASSERT_TRUE(database.ok());
    auto done = database->execute(sql);
    ASSERT_TRUE(done.ok()) << done.error().to_string();
  }
  void expect_fault(std::uint64_t sequence) {
    auto found = verification();
    ASSERT_TRUE(found.fault.has_value());
    EXPECT_EQ(found.fault->sequence, sequence) << found.fault->what;
  }
};

TEST_F(StoreTest, KeepsWhatIsAppended) {
  fill(3);
  auto all = rows();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].sequence, 1U);
  EXPECT_EQ(all[2].event.host, "host3");
  EXPECT_EQ(all[2].jar, "app");
  EXPECT_EQ(all[2].source, "proxy");
  auto found = verification();
  EXPECT_FALSE(found.fault) << found.fault->what;
  EXPECT_EQ(found.rows, 3U);
}

TEST_F(StoreTest, IsTheUsersAlone) {
  fill(1);
  for (auto name : {"/ledger.db", "/ledger.db-wal", "/ledger.anchor"}) {
    struct stat status {};
    if (::stat((directory_ + name).c_str(), &status) == 0) {
      EXPECT_EQ(status.st_mode & 077, 0U) << name;
    }
  }
}

TEST_F(StoreTest, ListsTheLastOfAJar) {
  auto store = Store::open(directory_).value();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(store.append({entry(std::to_string(i), i % 2 == 0 ? "even" : "odd")}).ok());
  auto even = store.list({.jar = "even", .limit = 2}).value();
  ASSERT_EQ(even.size(), 2U);
  EXPECT_EQ(even[0].event.host, "6");
  EXPECT_EQ(even[1].event.host, "8");
  EXPECT_EQ(store.list({.after = 8}).value().size(), 2U);
  EXPECT_EQ(store.list({.jar = "none"}).value().size(), 0U);
  EXPECT_EQ(store.list({.since = wall_clock() + 1'000'000}).value().size(), 0U);
}

TEST_F(StoreTest, WithoutALedgerThereIsNothingToRead) {
  auto store = Store::open_existing(directory_ + "/nowhere");
  ASSERT_TRUE(store.ok());
  EXPECT_FALSE(store->has_value());
}

TEST_F(StoreTest, ShowsAnEditedRow) {
  fill(5);
  tamper("UPDATE events SET jar = 'other' WHERE sequence = 3");
  expect_fault(3);
}

TEST_F(StoreTest, ShowsAnEditedEventTimeOrHash) {
  fill(5);
  tamper("UPDATE events SET time = time + 1 WHERE sequence = 2");
  expect_fault(2);
  tamper("UPDATE events SET time = time - 1 WHERE sequence = 2");
  ASSERT_FALSE(verification().fault);
  tamper("UPDATE events SET event = (SELECT event FROM events WHERE sequence = 1) WHERE sequence = 4");
  expect_fault(4);
  tamper("UPDATE events SET hash = zeroblob(32) WHERE sequence = 1");
  expect_fault(1);
}

TEST_F(StoreTest, ShowsADeletedRow) {
  fill(5);
  tamper("DELETE FROM events WHERE sequence = 2");
  expect_fault(2);
}

TEST_F(StoreTest, ShowsADeletedRowWhoseGapWasClosed) {
  fill(5);
  tamper(
      "DELETE FROM events WHERE sequence = 2; UPDATE events SET sequence = sequence - 1 WHERE sequence > 2");
  expect_fault(2);
}

TEST_F(StoreTest, ShowsMovedRows) {
  fill(5);
  tamper(
      "UPDATE events SET sequence = 100 WHERE sequence = 2; UPDATE events SET sequence = 2 WHERE sequence = "
      "3;"
      "UPDATE events SET sequence = 3 WHERE sequence = 100");
  expect_fault(2);
}

TEST_F(StoreTest, ShowsThatTheEndWasCutOff) {
  fill(5);
  tamper("DELETE FROM events WHERE sequence > 3");
  expect_fault(4);
}

TEST_F(StoreTest, ShowsTheCutForGoodWhateverFollows) {
  fill(5);
  tamper("DELETE FROM events WHERE sequence > 3");
  fill(2);
  expect_fault(4);
  auto all = rows();
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[3].sequence, 6U);
  EXPECT_THAT(all[3].event.reason, HasSubstr("rows 4 to 5 are missing"));
}

TEST_F(StoreTest, ShowsThatEverythingWasTakenAway) {
  fill(5);
  for (auto name : {"/ledger.db", "/ledger.db-wal", "/ledger.db-shm"})
    ::unlink((directory_ + name).c_str());
  fill(1);
  expect_fault(1);
}

TEST_F(StoreTest, ShowsAMissingAnchor) {
  fill(5);
  ::unlink((directory_ + "/ledger.anchor").c_str());
  fill(0);  // as the next start would
  EXPECT_TRUE(verification().fault.has_value());
  fill(1);
  EXPECT_THAT(rows().at(5).event.reason, HasSubstr("anchor is missing"));
}

TEST_F(StoreTest, ShowsAChainThatWasComputedAnew) {
  fill(5);
  std::filesystem::rename(directory_ + "/ledger.anchor", directory_ + "/kept");
  for (auto name : {"/ledger.db", "/ledger.db-wal", "/ledger.db-shm"})
    ::unlink((directory_ + name).c_str());
  fill(5);  // a whole chain of other rows
  ASSERT_FALSE(verification().fault);
  std::filesystem::rename(directory_ + "/kept", directory_ + "/ledger.anchor");
  expect_fault(5);
}

TEST_F(StoreTest, ADamagedFileIsAFaultAndNoCrash) {
  fill(50);
  tamper("PRAGMA wal_checkpoint(TRUNCATE)");
  auto path = directory_ + "/ledger.db";
  auto size = std::filesystem::file_size(path);
  auto fd = os::open_file(path, O_RDWR).value();
  std::string garbage(static_cast<std::size_t>(size) / 2, 'x');
  ASSERT_GT(::pwrite(fd.get(), garbage.data(), garbage.size(), static_cast<off_t>(size / 2)), 0);
  auto store = Store::open_existing(directory_);
  ASSERT_TRUE(store.ok());
  auto found = (*store)->verify();
  ASSERT_TRUE(found.ok()) << found.error().to_string();
  EXPECT_TRUE(found->fault.has_value());
}

TEST_F(StoreTest, RefusesALedgerOfANewerVersion) {
  fill(1);
  tamper("PRAGMA user_version = 2");
  auto store = Store::open(directory_);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::unsupported);
}

TEST_F(StoreTest, SeveralProcessesWriteOneChain) {
  constexpr int kWriters = 4;
  constexpr int kRows = 25;
  for (int writer = 0; writer < kWriters; ++writer) {
    if (::fork() != 0) continue;
    auto store = Store::open(directory_);  // also the first opening is a race
    if (!store) ::_exit(1);
    for (int i = 0; i < kRows; ++i)
      if (!store->append({entry(std::to_string(i), "jar" + std::to_string(writer))})) ::_exit(2);
    ::_exit(0);
  }
  for (int writer = 0; writer < kWriters; ++writer) {
    int status = -1;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(rows().size(), static_cast<std::size_t>(kWriters * kRows));
  auto found = verification();
  EXPECT_FALSE(found.fault) << found.fault->what;
}

TEST_F(StoreTest, KilledAtAnyInstantItLeavesAWholeChain) {
  for (int round = 0; round < 20; ++round) {
    int progress[2];
    ASSERT_EQ(::pipe(progress), 0);
    auto child = ::fork();
    if (child == 0) {
      auto store = Store::open(directory_).value();
      for (std::uint8_t i = 0;; ++i) {
        if (!store.append({entry(std::to_string(i)), entry("second")})) ::_exit(1);
        if (::write(progress[1], &i, 1) != 1) ::_exit(1);
      }
    }
    ::close(progress[1]);
    std::uint8_t last = 0;
    for (int i = 0; i <= round % 5; ++i)
      ASSERT_EQ(::read(progress[0], &last, 1), 1);
    ::usleep(static_cast<useconds_t>(round * 137));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    std::size_t durable = static_cast<std::size_t>(last) + 1;
    while (::read(progress[0], &last, 1) == 1)
      durable = static_cast<std::size_t>(last) + 1;
    ::close(progress[0]);
    auto found = verification();
    ASSERT_FALSE(found.fault) << found.fault->what;
    auto all = rows();
    ASSERT_EQ(all.size() % 2, 0U) << "half a group";
    ASSERT_GE(all.size(), 2 * durable);
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
  }
}

}  // namespace
}  // namespace belljar::ledger
