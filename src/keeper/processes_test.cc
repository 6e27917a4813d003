#include "keeper/processes.h"

#include <chrono>
#include <functional>
#include <optional>

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/freezer.h"
#include "os/fork.h"

namespace belljar::keeper {
namespace {

using Clock = std::chrono::steady_clock;

/// A stand-in for a jar's first process: does `body` and waits for its end.
class Tree {
 public:
  explicit Tree(const std::function<void()>& body)
      : process_(os::fork_process(os::Lifetime::parents, [&] {
                   body();
                   while (true)
                     ::pause();
                   return 0;
                 }).value()) {}
  ~Tree() {
    for (auto process : processes_below(process_.number()))
      if (process != process_.number()) ::kill(process, SIGKILL);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  [[nodiscard]] pid_t first() const { return process_.number(); }
  void wait_for(std::size_t processes) const {
    for (int n = 0; n < 500 && processes_below(first()).size() < processes; ++n)
      ::usleep(10'000);
    ASSERT_GE(processes_below(first()).size(), processes);
  }

 private:
  os::Pid process_;
};

/// A number that a tree counts up.
class Counter {
 public:
  Counter()
      : value_(static_cast<volatile unsigned*>(
            ::mmap(nullptr, sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  void count() const {
    while (true) {
      *value_ = *value_ + 1;
      ::usleep(500);
    }
  }
  [[nodiscard]] bool moves() const {
    auto before = *value_;
    ::usleep(100'000);
    return *value_ != before;
  }

 private:
  volatile unsigned* value_;
};

/// A process whose first thread has ended while another one goes on: by its own state it has ended.
void go_on_without_first_thread(const Counter& counter) {
  if (::fork() != 0) return;
  pthread_t thread{};
  ::pthread_create(
      &thread, nullptr,
      [](void* of) -> void* {
        static_cast<const Counter*>(of)->count();
        return nullptr;
      },
      const_cast<Counter*>(&counter));
  ::syscall(SYS_exit, 0);  // other than pthread_exit() without a way through gtest
}

TEST(ProcessesTest, APauseHoldsAlsoAProcessWhoseFirstThreadHasEnded) {
  Counter counter;
  Tree tree([&] { go_on_without_first_thread(counter); });
  tree.wait_for(2);
  ::usleep(100'000);
  EXPECT_FALSE(has_ended(processes_below(tree.first()).back()));
  auto pause = Pause::begin(tree.first());
  ASSERT_TRUE(pause.ok());
  EXPECT_FALSE(counter.moves());
  pause->end();
  EXPECT_TRUE(counter.moves());
}

TEST(ProcessesTest, ManyEndedProcessesHoldUpNoPause) {
  constexpr int kMany = 1500;
  Counter counter;
  std::optional<Freezer> freezer;  // goes after what is in its group
  Tree tree([&] {
    for (int n = 0; n < kMany; ++n)
      if (::fork() == 0) ::_exit(0);
    if (::fork() == 0) counter.count();
  });
  tree.wait_for(kMany + 2);
  auto begun = Clock::now();
  auto pause = Pause::begin(tree.first());
  EXPECT_TRUE(pause.ok());
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(10));
  EXPECT_FALSE(counter.moves());
  pause->end();

  freezer.emplace("processes-test", tree.first(), "");
  begun = Clock::now();
  auto frozen = freezer->freeze();
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(10));
  if (!frozen) GTEST_SKIP() << "no group to freeze them in: " << frozen.error().to_string();
  EXPECT_FALSE(counter.moves());
  freezer->thaw();
  EXPECT_TRUE(counter.moves());
}

TEST(ProcessesTest, AProcessThatWasNotWaitedForHasEnded) {
  Tree tree([] {
    if (::fork() == 0) ::_exit(0);
  });
  tree.wait_for(2);
  ::usleep(50'000);
  EXPECT_TRUE(has_ended(processes_below(tree.first()).back()));
  EXPECT_FALSE(has_ended(tree.first()));
}

}  // namespace
}  // namespace belljar::keeper
