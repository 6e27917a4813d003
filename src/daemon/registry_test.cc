#include "daemon/registry.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/fd.h"

namespace belljar::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RegistryTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    directory_ = ::mkdtemp(name);
    path_ = directory_ + "/registry.sqlite";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// A file as the first version made it.
  void write_version_1(const std::string& more = {}) {
    auto database = ledger::Database::open(path_, true).value();
    ASSERT_TRUE(
        database
            .execute("CREATE TABLE jars (name TEXT PRIMARY KEY, workspace TEXT NOT NULL, agent TEXT NOT "
                     "NULL, created INTEGER NOT NULL, started INTEGER NOT NULL, ended INTEGER NOT NULL, "
                     "exit_code INTEGER NOT NULL) STRICT; CREATE INDEX jars_by_workspace ON jars "
                     "(workspace, created, name); PRAGMA user_version = 1;"
                     "INSERT INTO jars VALUES ('old', '/w', 'claude', 10, 20, 30, 1);" +
                     more)
            .ok());
  }
  std::int64_t version() {
    auto database = ledger::Database::open(path_, false).value();
    auto statement = database.prepare("PRAGMA user_version").value();
    EXPECT_TRUE(statement.step().value());
    return statement.integer(0);
  }

  std::string directory_;
  std::string path_;
};

RegistryEntry entry(const std::string& name, const std::string& workspace, std::int64_t created) {
  return {.name = name,
          .workspace = workspace,
          .agent = "codex",
          .created = created,
          .started = created + 1,
          .ended = keeper::EndRecord{created + 2, 143},
          .generation = "skeleton-1",
          .requests = {.allowed = 4, .denied = 5}};
}

TEST_F(RegistryTest, KeepsWhatWasPut) {
  auto killed = entry("b", "/w", 5);
  killed.ended = keeper::EndRecord{7, std::nullopt};
  auto never = entry("c", "", 1);
  never.ended.reset();
  {
    auto registry = Registry::open(directory_).value();
    EXPECT_EQ(registry.problem(), "");
    for (const auto& one : {entry("a", "/w", 9), killed, never})
      ASSERT_TRUE(registry.put(one).ok());
    ASSERT_TRUE(registry.put(entry("d", "/w", 1)).ok());
    ASSERT_TRUE(registry.remove("d").ok());
  }
  auto registry = Registry::open(directory_).value();
  EXPECT_THAT(registry.all().value(), ElementsAre(entry("a", "/w", 9), killed, never));
}

TEST_F(RegistryTest, CountsGoWithThePlaceThatTheyWereCountedTo) {
  auto registry = Registry::open(directory_).value();
  EXPECT_EQ(registry.counted_through().value(), 0U);
  ASSERT_TRUE(registry.put_counts({entry("a", "/w", 9)}, 1234).ok());
  auto again = Registry::open(directory_).value();
  EXPECT_EQ(again.counted_through().value(), 1234U);
  EXPECT_EQ(again.all().value().front().requests, (RequestCount{4, 5}));
}

TEST_F(RegistryTest, MigratesAFileOfTheFirstVersion) {
  write_version_1();
  auto registry = Registry::open(directory_).value();
  EXPECT_EQ(registry.problem(), "");
  RegistryEntry old{.name = "old",
                    .workspace = "/w",
                    .agent = "claude",
                    .created = 10,
                    .started = 20,
                    .ended = keeper::EndRecord{30, 1},
                    .generation = "",
                    .requests = {}};
  EXPECT_THAT(registry.all().value(), ElementsAre(old));
  EXPECT_EQ(registry.counted_through().value(), 0U);
  EXPECT_EQ(version(), registry_schema_version());
}

TEST_F(RegistryTest, LeavesAFileOfANewerVersionAlone) {
  write_version_1("PRAGMA user_version = 99;");
  {
    auto registry = Registry::open(directory_).value();
    EXPECT_THAT(registry.problem(), HasSubstr("newer version of belljar"));
    EXPECT_THAT(registry.all().value(), IsEmpty());
    EXPECT_TRUE(registry.put(entry("a", "/w", 9)).ok());  // only in memory
    EXPECT_EQ(registry.all().value().size(), 1U);
  }
  EXPECT_EQ(version(), 99);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".damaged"));
}

TEST_F(RegistryTest, SetsADamagedFileAsideAndBeginsAnew) {
  const std::string garbage(5000, 'x');
  std::ofstream(path_) << garbage;
  {
    auto registry = Registry::open(directory_).value();
    EXPECT_THAT(registry.problem(), HasSubstr("was damaged"));
    ASSERT_TRUE(registry.put(entry("a", "/w", 9)).ok());
  }
  EXPECT_EQ(os::read_file(path_ + ".damaged").value(), garbage);
  auto registry = Registry::open(directory_).value();
  EXPECT_EQ(registry.problem(), "");
  EXPECT_EQ(registry.all().value().size(), 1U);
}

TEST_F(RegistryTest, AFileThatLacksItsTablesIsDamaged) {
  write_version_1("DROP TABLE jars;");
  auto registry = Registry::open(directory_).value();
  EXPECT_THAT(registry.problem(), HasSubstr("was damaged"));
  EXPECT_TRUE(registry.put(entry("a", "/w", 9)).ok());
}

TEST_F(RegistryTest, PagesOfAnotherKindAreSeenAtTheOpening) {
  {
    auto registry = Registry::open(directory_).value();
    for (int n = 0; n < 500; ++n)
      ASSERT_TRUE(registry.put(entry("jar-" + std::to_string(n), "/w", n)).ok());
  }
  ASSERT_GT(std::filesystem::file_size(path_), 20'000U);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8192);
  file << std::string(8192, '\x55');
  file.close();
  auto registry = Registry::open(directory_).value();
  EXPECT_THAT(registry.problem(), HasSubstr("was damaged"));
  EXPECT_THAT(registry.all().value(), IsEmpty());
}

}  // namespace
}  // namespace belljar::daemon
