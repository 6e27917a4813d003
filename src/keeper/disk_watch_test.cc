#include "keeper/disk_watch.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "keeper/nameless_files.h"
#include "rt/loop.h"

namespace belljar::keeper {
namespace {

constexpr std::size_t kMebi = 1U << 20;

class DiskWatchTest : public ::testing::Test {
 protected:
  DiskWatchTest() {
    char path[] = "/var/tmp/belljar-disk-watch-XXXXXX";
    directory = ::mkdtemp(path);
    std::filesystem::create_directories(own());
    std::filesystem::create_directories(workspace());
  }
  ~DiskWatchTest() override { std::filesystem::remove_all(directory); }
  [[nodiscard]] std::string own() const { return directory + "/own"; }
  [[nodiscard]] std::string workspace() const { return directory + "/workspace"; }
  static void write(const std::string& path, std::size_t size) {
    std::ofstream(path) << std::string(size, 'x');
  }
  [[nodiscard]] DiskPlaces places() const {
    DiskPlaces places;
    places.own = {own()};
    places.growing = {workspace()};
    return places;
  }
  static void in_loop(const std::function<Result<void>()>& body) {
    rt::Loop loop;
    auto ran = loop.run(body);
    EXPECT_TRUE(ran.ok()) << ran.error().to_string();
  }
  static DiskBounds hasty() {
    DiskBounds bounds;
    bounds.between_attempts = std::chrono::milliseconds(1);
    return bounds;
  }
  std::string directory;
};

TEST_F(DiskWatchTest, WhatWasThereAtTheBeginningIsNotAdded) {
  write(workspace() + "/before", 3 * kMebi);
  in_loop([&]() -> Result<void> {
    DiskWatch watch(places(), 2 * kMebi);
    TRY(watch.begin([] { return false; }));
    write(workspace() + "/added", 2 * kMebi);
    write(own() + "/added", kMebi);
    auto taken = TRY(watch.await_excess([](const Error&) { ADD_FAILURE(); }));
    EXPECT_GE(taken, 3 * kMebi);
    EXPECT_LT(taken, 4 * kMebi);
    return {};
  });
}

TEST_F(DiskWatchTest, WhatCanNotBeMeasuredIsAnErrorAfterAFewAttempts) {
  auto bounds = hasty();
  bounds.tree.entries = 20;
  in_loop([&]() -> Result<void> {
    DiskWatch watch(places(), kMebi, bounds);
    TRY(watch.begin([] { return false; }));
    for (int n = 0; n < 30; ++n)
      write(own() + "/" + std::to_string(n), 1);
    unsigned told = 0;
    auto taken = watch.await_excess([&told](const Error&) { ++told; });
    EXPECT_FALSE(taken.ok());
    EXPECT_EQ(told, 1U);
    // What is too much already by what could be seen is too much.
    write(own() + "/0", 2 * kMebi);
    for (int n = 1; n < 30; ++n)
      write(own() + "/" + std::to_string(n), 2 * kMebi);
    EXPECT_TRUE(watch.await_excess([](const Error&) {}).ok());
    return {};
  });
}

TEST_F(DiskWatchTest, ATreeThatIsTooLargeAtTheBeginningIsRefused) {
  auto bounds = hasty();
  bounds.tree.waiting = 1000;
  for (int n = 0; n < 100; ++n)
    std::filesystem::create_directories(workspace() + "/" + std::to_string(n));
  in_loop([&]() -> Result<void> {
    DiskWatch watch(places(), kMebi, bounds);
    EXPECT_FALSE(watch.begin([] { return false; }).ok());
    return {};
  });
}

TEST_F(DiskWatchTest, AMeasurementThatTakesTooLongIsAnError) {
  auto bounds = hasty();
  bounds.longest = std::chrono::nanoseconds(1);
  in_loop([&]() -> Result<void> {
    DiskWatch watch(places(), kMebi, bounds);
    auto taken = watch.await_excess([](const Error&) {});
    EXPECT_FALSE(taken.ok());
    return {};
  });
}

TEST_F(DiskWatchTest, AnOpenFileWithoutANameCountsOnce) {
  auto path = own() + "/file";
  write(path, 3 * kMebi);
  int one = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int other = ::dup(one);
  EXPECT_LT(measure_nameless_files(::getpid()).bytes, 3 * kMebi);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  auto files = measure_nameless_files(::getpid());
  EXPECT_TRUE(files.complete);
  EXPECT_GE(files.bytes, 3 * kMebi);
  EXPECT_LT(files.bytes, 4 * kMebi);
  EXPECT_FALSE(measure_nameless_files(::getpid(), 2).complete);
  in_loop([&]() -> Result<void> {
    auto with_processes = places();
    with_processes.first = ::getpid();
    DiskWatch watch(std::move(with_processes), 2 * kMebi);
    EXPECT_GE(TRY(watch.await_excess([](const Error&) {})), 3 * kMebi);
    return {};
  });
  ::close(one);
  ::close(other);
}

}  // namespace
}  // namespace belljar::keeper
