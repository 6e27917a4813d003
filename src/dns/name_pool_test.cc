#include "dns/name_pool.h"

#include <gtest/gtest.h>

namespace belljar::dns {
namespace {

std::uint32_t address(const std::variant<std::uint32_t, PoolRefusal>& assigned) {
  return std::holds_alternative<std::uint32_t>(assigned) ? std::get<std::uint32_t>(assigned) : 0;
}

TEST(NamePool, GivesEachNameItsOwnAddress) {
  NamePool pool;
  std::uint32_t first = address(pool.assign("a.example", {}));
  std::uint32_t second = address(pool.assign("b.example", {}));
  EXPECT_EQ(first, kFirstSynthetic);
  EXPECT_EQ(second, kFirstSynthetic + 1);
  EXPECT_EQ(address(pool.assign("a.example", {})), first);
  EXPECT_EQ(pool.name_of(second), "b.example");
  EXPECT_FALSE(pool.name_of(second + 1));
  EXPECT_FALSE(pool.name_of(kFirstSynthetic - 1));
  EXPECT_FALSE(pool.name_of(0x7F000001));
}

TEST(NamePool, LimitsHowFastNewNamesCome) {
  NamePool pool({.names = 100, .burst = 2, .names_per_second = 10});
  rt::Instant start{std::chrono::hours(1)};
  EXPECT_NE(address(pool.assign("a", start)), 0U);
  EXPECT_NE(address(pool.assign("b", start)), 0U);
  EXPECT_EQ(std::get<PoolRefusal>(pool.assign("c", start)), PoolRefusal::too_fast);
  EXPECT_NE(address(pool.assign("a", start)), 0U) << "known names are not limited";
  EXPECT_EQ(std::get<PoolRefusal>(pool.assign("c", start + std::chrono::milliseconds(90))),
            PoolRefusal::too_fast);
  EXPECT_NE(address(pool.assign("c", start + std::chrono::milliseconds(101))), 0U);
}

TEST(NamePool, LimitsHowManyNamesThereAre) {
  NamePool pool({.names = 2});
  EXPECT_NE(address(pool.assign("a", {})), 0U);
  EXPECT_NE(address(pool.assign("b", {})), 0U);
  EXPECT_EQ(std::get<PoolRefusal>(pool.assign("c", {})), PoolRefusal::too_many);
  EXPECT_NE(address(pool.assign("b", {})), 0U);
}

TEST(NamePool, SurvivesARestart) {
  NamePool pool;
  std::uint32_t first = address(pool.assign("a.example", {}));
  std::uint32_t second = address(pool.assign(".", {}));
  NamePool again = NamePool::load(pool.save()).value();
  EXPECT_EQ(again.name_of(first), "a.example");
  EXPECT_EQ(address(again.assign(".", {})), second);
  EXPECT_EQ(address(again.assign("new", {})), second + 1) << "an address is never given out twice";
}

TEST(NamePool, RefusesADamagedSave) {
  EXPECT_EQ(NamePool::load(as_bytes("\x05"
                                    "abc"))
                .error()
                .code(),
            ErrorCode::malformed);
  EXPECT_EQ(NamePool::load(as_bytes("\x01"
                                    "a"
                                    "\x01"
                                    "a"))
                .error()
                .code(),
            ErrorCode::malformed);
  EXPECT_EQ(NamePool::load(as_bytes("\x01"
                                    "A"))
                .error()
                .code(),
            ErrorCode::malformed);
  EXPECT_EQ(NamePool::load(BytesView(Bytes{0})).error().code(), ErrorCode::malformed);
}

}  // namespace
}  // namespace belljar::dns
