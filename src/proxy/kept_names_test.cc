#include "proxy/kept_names.h"

#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gateway/setup.h"
#include "rt/clock.h"

namespace belljar::proxy {
namespace {

os::Fd memory_file() { return os::Fd(::memfd_create("names", MFD_CLOEXEC)); }
os::Fd again(const os::Fd& file) { return file.duplicate().value(); }

std::uint32_t assign(KeptNames::Opened& opened, std::string_view name) {
  auto before = opened.pool.size();
  auto address = std::get<std::uint32_t>(opened.pool.assign(name, rt::now()));
  if (opened.pool.size() > before) {
    EXPECT_TRUE(opened.kept.keep(name).ok());
  }
  return address;
}

TEST(KeptNames, ASecondProxyKnowsTheNamesOfTheFirst) {
  auto file = memory_file();
  std::uint32_t one = 0, two = 0;
  {
    auto first = KeptNames::open(again(file)).value();
    one = assign(first, "one.test");
    two = assign(first, "two.test");
  }
  auto second = KeptNames::open(again(file)).value();
  EXPECT_EQ(second.pool.name_of(one), "one.test");
  EXPECT_EQ(assign(second, "two.test"), two);
  auto three = assign(second, "three.test");
  EXPECT_GT(three, two);
  EXPECT_EQ(KeptNames::open(again(file)).value().pool.name_of(three), "three.test");
}

TEST(KeptNames, ANameThatWasCutOffWasNeverGiven) {
  auto file = memory_file();
  std::uint32_t one = 0;
  {
    auto first = KeptNames::open(again(file)).value();
    one = assign(first, "one.test");
  }
  auto cut_off = as_bytes(
      "\x10"
      "long-name-that-wa");
  ASSERT_EQ(::pwrite(file.get(), cut_off.data(), cut_off.size(), 1 + 8), 18);
  // Cut within the name.
  ASSERT_EQ(::ftruncate(file.get(), 1 + 8 + 5), 0);
  auto second = KeptNames::open(again(file)).value();
  EXPECT_EQ(second.pool.size(), 1U);
  auto next = assign(second, "x.test");
  EXPECT_EQ(next, one + 1);
  auto third = KeptNames::open(again(file)).value();
  EXPECT_EQ(third.pool.size(), 2U);
  EXPECT_EQ(third.pool.name_of(next), "x.test");
}

os::Fd file_of_its_starter() {
  auto file = os::Fd(::memfd_create("names", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(file.get(), gateway::kNamesFileSize), 0);
  EXPECT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  return file;
}

TEST(KeptNames, AFileOfAFixedSizeTakesThemAll) {
  auto file = file_of_its_starter();
  auto first = KeptNames::open(again(file)).value();
  constexpr std::uint32_t kMany = 500;  // several pieces of the file
  std::vector<std::uint32_t> given;
  for (std::uint32_t n = 0; n < kMany; ++n)
    given.push_back(assign(first, std::string(60, 'a') + "." + std::to_string(n) + ".test"));
  auto second = KeptNames::open(again(file)).value();
  EXPECT_EQ(second.pool.size(), kMany);
  EXPECT_EQ(second.pool.name_of(given.back()), std::string(60, 'a') + ".499.test");
  auto next = assign(second, "next.test");
  EXPECT_EQ(KeptNames::open(again(file)).value().pool.name_of(next), "next.test");
  struct stat status {};
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 256 << 10) << "takes no more room than its names";
}

TEST(KeptNames, ANameThatWasCutOffInAFileOfAFixedSizeWasNeverGiven) {
  auto file = file_of_its_starter();
  std::uint32_t one = 0;
  {
    auto first = KeptNames::open(again(file)).value();
    one = assign(first, "one.test");
  }
  // Its length says more than was written.
  auto cut_off = as_bytes(
      "\x10"
      "long-na");
  ASSERT_EQ(::pwrite(file.get(), cut_off.data(), cut_off.size(), 1 + 8), 8);
  auto second = KeptNames::open(again(file)).value();
  EXPECT_EQ(second.pool.size(), 1U);
  EXPECT_EQ(assign(second, "x.y"), one + 1);
  auto third = KeptNames::open(again(file)).value();
  EXPECT_EQ(third.pool.size(), 2U);
  EXPECT_EQ(third.pool.name_of(one + 1), "x.y");
}

TEST(KeptNames, WhatNoProxyWritesIsRefused) {
  auto file = memory_file();
  ASSERT_TRUE(os::write_all(file.get(), as_bytes("\x03"
                                                 "A\nB"))
                  .ok());
  EXPECT_EQ(KeptNames::open(again(file)).error().code(), ErrorCode::malformed);
  auto twice = memory_file();
  ASSERT_TRUE(os::write_all(twice.get(), as_bytes("\x01"
                                                  "a"
                                                  "\x01"
                                                  "a"))
                  .ok());
  EXPECT_FALSE(KeptNames::open(again(twice)).ok());
}

TEST(KeptNames, WithoutAFileNothingIsKept) {
  auto opened = KeptNames::open(os::Fd()).value();
  EXPECT_GT(assign(opened, "one.test"), 0U);
}

}  // namespace
}  // namespace belljar::proxy
