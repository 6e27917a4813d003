#include "os/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "os/fork.h"

namespace belljar::os {
namespace {

TEST(BeginElsewhere, TakesNoProcessorFromTheChild) {
  cpu_set_t allowed{}, of_child{};
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  auto pipe = create_pipe().value();
  auto child = fork_process(Lifetime::parents, [&pipe] {
                 char end = 0;
                 pipe.second.reset();
                 return ::read(pipe.first.get(), &end, 1) == 0 ? 0 : 1;
               }).value();
  begin_elsewhere(child);
  ASSERT_EQ(::sched_getaffinity(child.number(), sizeof of_child, &of_child), 0);
  EXPECT_TRUE(CPU_EQUAL(&allowed, &of_child));
  pipe.second.reset();
  EXPECT_EQ(child.wait().value().code, 0);
}

}  // namespace
}  // namespace belljar::os
