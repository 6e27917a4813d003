#include "base/result.h"

#include <cerrno>
#include <memory>

#include <gtest/gtest.h>

namespace belljar {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error(ErrorCode::invalid_argument, "an odd number");
  return number / 2;
}

Result<int> quarter(int number) {
  int halved = TRY(half(number));
  return TRY(half(halved).context("halving again"));
}

Result<void> check_all(int number) {
  (void)TRY(quarter(number));
  return {};
}

TEST(Result, PassesValuesAndErrors) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(3).error().code(), ErrorCode::invalid_argument);
  EXPECT_TRUE(check_all(4).ok());
  EXPECT_FALSE(check_all(5).ok());
}

TEST(Result, KeepsTheTrailInnermostFirst) {
  auto result = quarter(6).context("reading the recipe");
  EXPECT_EQ(result.error().to_string(), "reading the recipe: halving again: an odd number");
}

TEST(Result, CarriesMoveOnlyValues) {
  auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  auto use = [&]() -> Result<int> { return *TRY(make()); };
  EXPECT_EQ(use().value(), 7);
}

TEST(Error, NamesTheSystemCallAndKeepsItsErrno) {
  auto error = Error::from_errno(ENOENT, "open /nowhere");
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(error.system_errno(), ENOENT);
  EXPECT_EQ(error.to_string(), "open /nowhere: No such file or directory");
}

TEST(Error, TheInnermostHintStays) {
  auto error = Error(ErrorCode::not_found, "no jar").with_hint("belljar ls").with_hint("belljar doctor");
  EXPECT_EQ(error.hint(), "belljar ls");
}

TEST(ResultDeathTest, ValueOfAFailureEndsTheProcess) { EXPECT_DEATH((void)half(3).value(), "an odd number"); }

}  // namespace
}  // namespace belljar
