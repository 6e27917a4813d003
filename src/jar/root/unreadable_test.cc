#include "jar/root/unreadable.h"

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::jar {
namespace {

class UnreadableTest : public ::testing::Test {
 protected:
  UnreadableTest() {
    char name[] = "/tmp/belljar-unreadable-XXXXXX";
    base_ = ::mkdtemp(name);
    ::mkdir(shown().c_str(), 0755);
    ::mkdir(cache().c_str(), 0700);
  }
  ~UnreadableTest() override { std::filesystem::remove_all(base_); }

  [[nodiscard]] std::string shown() const { return base_ + "/shown"; }
  [[nodiscard]] std::string cache() const { return base_ + "/cache"; }
  [[nodiscard]] Result<std::vector<std::string>> find(Reader reader = Reader::nobody) const {
    return find_unreadable(cache(), {{shown(), "/usr"}}, reader);
  }
  void write(const std::string& path, time_t age) const {
    ASSERT_TRUE(os::write_file_atomically(path, "x"));
    timespec times[2] = {{::time(nullptr) - age, 0}, {::time(nullptr) - age, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  static bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

  std::string base_;
};

TEST_F(UnreadableTest, SparesTheListThatAnotherStartIsWriting) {
  auto being_written = cache() + "/unreadable-0123456789abcdef.77.tmp";
  auto abandoned = cache() + "/unreadable-0123456789abcdef.78.tmp";
  auto of_another_state = cache() + "/unreadable-0123456789abcdef";
  write(being_written, 1);
  write(abandoned, 7200);
  write(of_another_state, 1);
  ASSERT_TRUE(find());
  EXPECT_TRUE(exists(being_written));
  EXPECT_FALSE(exists(abandoned));
  EXPECT_FALSE(exists(of_another_state));
}

TEST_F(UnreadableTest, NeedsNoPlaceToKeepTheList) {
  ASSERT_TRUE(os::write_file_atomically(shown() + "/secret", "x", 0600));
  ASSERT_EQ(::rmdir(cache().c_str()), 0);
  ASSERT_TRUE(os::write_file_atomically(cache(), "not a directory"));
  auto found = find(Reader::caller);
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(*found, std::vector<std::string>{"/usr/secret"});
}

}  // namespace
}  // namespace belljar::jar
