#include "ledger/server.h"

#include <functional>

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/directory_test.h"
#include "ledger/protocol.h"
#include "ledger/recorder.h"
#include "os/passing.h"
#include "rt/nursery.h"
#include "rt/testing.h"

namespace belljar::ledger {
namespace {

using testing::HasSubstr;

/// The ledger as a process of its own.
class ServerTest : public LedgerTest {
 protected:
  void SetUp() override {
    LedgerTest::SetUp();
    start(directory_);
  }
  void TearDown() override {
    stop();
    LedgerTest::TearDown();
  }
  void start(const std::string& directory) {
    auto pair = os::create_socket_pair(SOCK_SEQPACKET).value();
    process_ = ::fork();
    ASSERT_GE(process_, 0);
    if (process_ == 0) {
      pair.first.reset();
      if (before_serving_) before_serving_();
      ::_exit(serve(std::move(pair.second)).ok() ? 0 : 1);
    }
    control_ = std::move(pair.first);
    ASSERT_TRUE(send_setup(control_.get(), {.directory = directory}).ok());
  }
  int stop() {
    control_.reset();
    if (process_ <= 0) return -1;
    int status = -1;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return status;
  }
  os::Fd appender(const std::string& source, const std::string& jar = "app") {
    auto pair = os::create_socket_pair(SOCK_SEQPACKET).value();
    EXPECT_TRUE(send_appender(control_.get(), {.source = source, .jar = jar}, pair.second.get()).ok());
    return std::move(pair.first);
  }
  std::unique_ptr<Recorder> recorder(const std::string& source, const std::string& jar = "app") {
    return BlockingRecorder::open(appender(source, jar)).value();
  }

  pid_t process_ = -1;
  os::Fd control_;
  std::function<void()> before_serving_;
};

TEST_F(ServerTest, IsConfinedBeforeItReadsAnAppend) {
  auto proxy = recorder("proxy");
  ASSERT_TRUE(proxy->record(denial("h"), Durability::durable).ok());
  auto status = os::read_file("/proc/" + std::to_string(process_) + "/status").value();
  EXPECT_THAT(status, HasSubstr("\nSeccomp:\t2\n"));
  EXPECT_THAT(status, HasSubstr("\nNoNewPrivs:\t1\n"));
  EXPECT_THAT(status, HasSubstr("\nCapEff:\t0000000000000000\n"));
}

TEST_F(ServerTest, WritesOnWhereTheLogIsFoldedIntoTheDatabase) {
  auto event = denial("h", "allow");
  event.reason = std::string(4000, 'r');
  auto egress = recorder("egress");
  constexpr int kRows = 3000;  // more than the thousand pages after which SQLite folds its log
  for (int i = 0; i < kRows; ++i)
    ASSERT_TRUE(egress->record(event, i % 100 == 0 ? Durability::durable : Durability::accepted).ok());
  EXPECT_EQ(stop(), 0);
  EXPECT_EQ(rows().size(), static_cast<std::size_t>(kRows));
  EXPECT_FALSE(verification().fault);
}

TEST_F(ServerTest, OnAFullDiskItRefusesAndKeepsWhatItPromised) {
  stop();
  before_serving_ = [] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{.rlim_cur = 300'000, .rlim_max = 300'000};  // of every file, as a disk that is full
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  start(directory_);
  auto event = denial("h");
  event.reason = std::string(4000, 'r');
  auto proxy = recorder("proxy");
  std::size_t durable = 0;
  Result<void> recorded;
  while (durable < 1000 && (recorded = proxy->record(event, Durability::durable)).ok())
    ++durable;
  ASSERT_FALSE(recorded.ok());
  EXPECT_EQ(recorded.error().code(), ErrorCode::limit_exceeded);
  EXPECT_GT(durable, 10U);
  EXPECT_FALSE(proxy->record(event, Durability::accepted).ok());
  stop();
  EXPECT_GE(rows().size(), durable);
  EXPECT_FALSE(verification().fault);
}

TEST_F(ServerTest, ADurableRecordIsThereWhenItIsAcknowledged) {
  auto proxy = recorder("proxy");
  for (int i = 1; i <= 5; ++i) {
    ASSERT_TRUE(proxy->record(denial("h" + std::to_string(i)), Durability::durable).ok());
    ASSERT_EQ(rows().size(), static_cast<std::size_t>(i));
  }
  ::kill(process_, SIGKILL);
  EXPECT_EQ(rows().size(), 5U);
  EXPECT_FALSE(verification().fault);
}

TEST_F(ServerTest, AnAcceptedRecordIsThereWithinTheGroupsTime) {
  auto egress = recorder("egress");
  ASSERT_TRUE(egress->record(denial("h", "allow"), Durability::accepted).ok());
  // Nothing else is sent; a busy machine may be late.
  for (int round = 0; round < 50 && rows().empty(); ++round)
    ::usleep(kGroupMilliseconds * 1000);
  ::kill(process_, SIGKILL);
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows()[0].event.verdict, "allow");
}

TEST_F(ServerTest, KeepsTheOrderOfOneAppender) {
  auto egress = recorder("egress");
  ASSERT_TRUE(egress->record(denial("1", "allow"), Durability::accepted).ok());
  ASSERT_TRUE(egress->record(denial("2"), Durability::none).ok());
  ASSERT_TRUE(egress->record(denial("3"), Durability::durable).ok());
  auto all = rows();
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(all[i].event.host, std::to_string(i + 1));
}

TEST_F(ServerTest, KeepsTheOrderWithinOneGroup) {
  auto proxy = appender("proxy");
  ::kill(process_, SIGSTOP);  // so that all of it comes at once
  for (int i = 0; i < 30; ++i) {
    Append append{.id = 1, .durability = i % 3 == 0 ? Durability::durable : Durability::none};
    append.event = encode(denial(std::to_string(i)));
    ASSERT_TRUE(os::send_message(proxy.get(), encode(append)).ok());
  }
  ::kill(process_, SIGCONT);
  EXPECT_EQ(stop(), 0);
  auto all = rows();
  ASSERT_EQ(all.size(), 30U);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].event.host, std::to_string(i));
}

TEST_F(ServerTest, WritesAllThatWasSentBeforeItsEnd) {
  auto keeper = recorder("keeper");
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(keeper->record(denial("h"), Durability::none).ok());
  EXPECT_EQ(stop(), 0);
  EXPECT_EQ(rows().size(), 50U);
  EXPECT_FALSE(verification().fault);
  EXPECT_EQ(keeper->record(denial("h"), Durability::durable).error().code(), ErrorCode::closed);
}

TEST_F(ServerTest, MarksEventsWithTheirAppenderWhateverTheySay) {
  auto proxy = recorder("proxy", "one");
  auto egress = recorder("egress", "two");
  auto event = denial("h");
  event.origin = "keeper";
  ASSERT_TRUE(proxy->record(event, Durability::durable).ok());
  ASSERT_TRUE(egress->record(event, Durability::durable).ok());
  auto all = rows();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].jar + all[0].source, "oneproxy");
  EXPECT_EQ(all[1].jar + all[1].source, "twoegress");
}

TEST_F(ServerTest, AMalformedAppendEndsItsAppenderOnly) {
  auto good = recorder("good");
  Append append{.id = 1, .durability = Durability::durable, .event = encode(denial("h"))};
  auto whole = encode(append);
  std::vector<Bytes> bad = {
      {}, {1, 2, 3}, Bytes(whole.begin(), whole.end() - 1), Bytes(os::kMaxMessage, 0xff)};
  bad.push_back(whole);
  bad.back()[8] = 9;  // a durability that is none
  for (const auto& message : bad) {
    auto socket = appender("bad");
    (void)os::send_message(socket.get(), message);
    if (message.empty()) socket.reset();
    if (socket) {
      auto answer = os::receive_message(socket.get());
      EXPECT_TRUE(!answer.ok() || !answer->has_value()) << "an answer instead of the end";
    }
    ASSERT_TRUE(good->record(denial("still"), Durability::durable).ok());
  }
  // Larger than any message may be, past what send_message would send.
  auto socket = appender("bad");
  Bytes huge(100'000, 1);
  ASSERT_GT(::send(socket.get(), huge.data(), huge.size(), MSG_NOSIGNAL), 0);
  auto answer = os::receive_message(socket.get());
  EXPECT_TRUE(!answer.ok() || !answer->has_value());
  ASSERT_TRUE(good->record(denial("still"), Durability::durable).ok());
  EXPECT_EQ(rows().size(), bad.size() + 1);
}

TEST_F(ServerTest, AnAppenderThatReadsNoAnswersKeepsOnlyItselfWaiting) {
  auto deaf = appender("deaf");
  ASSERT_TRUE(os::set_nonblocking(deaf.get()).ok());
  auto message =
      encode(Append{.id = 1, .durability = Durability::accepted, .event = encode(denial("flood"))});
  int sent = 0;
  for (int idle = 0; idle < 50 && sent < 20'000;) {
    if (os::send_message(deaf.get(), message).ok()) {
      ++sent;
      idle = 0;
    } else {
      ::usleep(2000);
      ++idle;
    }
  }
  EXPECT_LT(sent, 20'000) << "it was read without end";
  auto good = recorder("good");
  EXPECT_TRUE(good->record(denial("h"), Durability::durable).ok());
}

TEST_F(ServerTest, RefusesWithTheReasonWhereNothingCanBeWritten) {
  stop();
  start("/proc/nothing/ledger");
  auto proxy = recorder("proxy");
  for (auto durability : {Durability::accepted, Durability::durable}) {
    auto recorded = proxy->record(denial("h"), durability);
    ASSERT_FALSE(recorded.ok());
    EXPECT_THAT(recorded.error().to_string(), HasSubstr("/proc/nothing"));
  }
}

TEST_F(ServerTest, ALedgerThatDiesIsAFailureOfEveryRecord) {
  auto proxy = recorder("proxy");
  ASSERT_TRUE(proxy->record(denial("h"), Durability::durable).ok());
  ::kill(process_, SIGKILL);
  ::waitpid(std::exchange(process_, -1), nullptr, 0);
  for (auto durability : {Durability::accepted, Durability::durable, Durability::none})
    EXPECT_FALSE(proxy->record(denial("h"), durability).ok());
}

TEST_F(ServerTest, ManyFibersRecordThroughOneSocket) {
  constexpr int kFibers = 300;
  rt::run_test([&, this] {
    auto proxy = FiberRecorder::open(appender("proxy")).value();
    int recorded = 0;
    rt::Nursery nursery;
    for (int i = 0; i < kFibers; ++i)
      nursery.start([&, i]() -> Result<void> {
        TRY(proxy->record(denial(std::to_string(i)),
                          i % 2 == 0 ? Durability::durable : Durability::accepted));
        ++recorded;
        return {};
      });
    TRY_OR_FAIL(nursery.join());
    EXPECT_EQ(recorded, kFibers);
  });
  EXPECT_EQ(stop(), 0);
  EXPECT_EQ(rows().size(), static_cast<std::size_t>(kFibers));
  EXPECT_FALSE(verification().fault);
}

TEST_F(ServerTest, ACancelledRecordLeavesTheOthersTheirs) {
  rt::run_test([&, this] {
    auto proxy = FiberRecorder::open(appender("proxy")).value();
    ::kill(process_, SIGSTOP);  // nothing is acknowledged for now
    int recorded = 0;
    rt::Nursery staying;
    {
      rt::Nursery leaving;
      leaving.start([&]() -> Result<void> {  // the first to wait reads for all
        auto result = proxy->record(denial("leaves"), Durability::durable);
        EXPECT_FALSE(result.ok());
        return {};
      });
      TRY_OR_FAIL(rt::sleep(std::chrono::milliseconds(5)));
      for (int i = 0; i < 3; ++i)
        staying.start([&]() -> Result<void> {
          TRY(proxy->record(denial("stays"), Durability::durable));
          ++recorded;
          return {};
        });
      TRY_OR_FAIL(rt::sleep(std::chrono::milliseconds(5)));
    }
    ::kill(process_, SIGCONT);
    TRY_OR_FAIL(staying.join());
    EXPECT_EQ(recorded, 3);
  });
}

TEST_F(ServerTest, ALedgerThatDoesNotAnswerIsNotWaitedForForever) {
  ::kill(process_, SIGSTOP);
  rt::run_test([&, this] {
    auto proxy = FiberRecorder::open(appender("proxy"), std::chrono::milliseconds(50)).value();
    auto recorded = proxy->record(denial("h"), Durability::durable);
    ASSERT_FALSE(recorded.ok());
    EXPECT_EQ(recorded.error().code(), ErrorCode::timed_out);
  });
  auto blocking = BlockingRecorder::open(appender("cli"), 50).value();
  EXPECT_EQ(blocking->record(denial("h"), Durability::durable).error().code(), ErrorCode::timed_out);
  ::kill(process_, SIGCONT);
}

TEST_F(ServerTest, SeveralLedgersShareOneDirectory) {
  auto first = recorder("first");
  auto first_process = process_;
  auto first_control = std::move(control_);
  start(directory_);
  auto second = recorder("second");
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(first->record(denial("1"), i % 2 == 0 ? Durability::accepted : Durability::durable).ok());
    ASSERT_TRUE(second->record(denial("2"), i % 3 == 0 ? Durability::accepted : Durability::durable).ok());
  }
  EXPECT_EQ(stop(), 0);
  first_control.reset();
  int status = -1;
  ::waitpid(first_process, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(rows().size(), 40U);
  EXPECT_FALSE(verification().fault);
}

TEST_F(ServerTest, ABrokenSetupEndsIt) {
  stop();
  for (const auto& message : {Bytes{9}, encode(Control(ledger::Setup{.directory = "relative"})),
                              encode(Control(Appender{.source = "proxy", .jar = "app"}))}) {
    auto pair = os::create_socket_pair(SOCK_SEQPACKET).value();
    ASSERT_TRUE(os::send_message(pair.first.get(), message).ok());
    EXPECT_FALSE(serve(std::move(pair.second)).ok());
  }
}

}  // namespace
}  // namespace belljar::ledger
