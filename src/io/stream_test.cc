// What every Stream promises, run on each thing that is one.
#include "io/stream.h"

#include <memory>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/buffered.h"
#include "io/fd_stream.h"
#include "io/memory.h"
#include "io/pump.h"
#include "os/fd.h"
#include "rt/nursery.h"
#include "rt/testing.h"

namespace belljar::io {
namespace {

using std::chrono::milliseconds;
using Ends = std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>>;

Ends on_sockets() {
  auto pair = os::create_socket_pair(SOCK_STREAM).value();
  return {open_fd_stream(std::move(pair.first)).value(), open_fd_stream(std::move(pair.second)).value()};
}

struct Carrier {
  const char* name;
  Ends (*create)();
};

class EveryStream : public testing::TestWithParam<Carrier> {
 protected:
  void run(const std::function<void(Stream&, std::unique_ptr<Stream>&)>& body) {
    rt::run_test([&] {
      auto ends = GetParam().create();
      body(*ends.first, ends.second);
    });
  }
};

INSTANTIATE_TEST_SUITE_P(, EveryStream,
                         testing::Values(Carrier{"memory", [] { return create_memory_pipe(); }},
                                         Carrier{"narrow_memory", [] { return create_memory_pipe(3); }},
                                         Carrier{"sockets", on_sockets}),
                         [](const auto& carrier) { return carrier.param.name; });

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    text[i] = static_cast<char>('a' + i * 7 % 26);
  return text;
}

std::string read_to_end(Reader& reader) {
  std::string text;
  Bytes buffer(1000);
  for (;;) {
    auto count = reader.read_some(buffer).value();
    if (count == 0) return text;
    text += as_text(BytesView(buffer).first(count));
  }
}

TEST_P(EveryStream, CarriesMoreThanItBuffers) {
  run([](Stream& here, std::unique_ptr<Stream>& there) {
    auto text = pattern(700'000);
    rt::Nursery nursery;
    nursery.start([&]() -> Result<void> {
      TRY(write_text(here, text));
      return here.close_write();
    });
    EXPECT_TRUE(read_to_end(*there) == text);
    std::uint8_t byte = 0;
    EXPECT_EQ(there->read_some({&byte, 1}).value(), 0U);  // the end stays the end
    EXPECT_TRUE(nursery.join().ok());
  });
}

TEST_P(EveryStream, ClosesOneDirectionOnly) {
  run([](Stream& here, std::unique_ptr<Stream>& there) {
    TRY_OR_FAIL(here.close_write());
    EXPECT_EQ(read_to_end(*there), "");
    TRY_OR_FAIL(write_text(*there, "yes"));
    TRY_OR_FAIL(there->close_write());
    EXPECT_EQ(read_to_end(here), "yes");
    EXPECT_EQ(write_text(here, "late").error().code(), ErrorCode::closed);
  });
}

TEST_P(EveryStream, TellsTheWriterThatThePeerIsGone) {
  run([](Stream& here, std::unique_ptr<Stream>& there) {
    there.reset();
    Result<void> result;
    for (int i = 0; i < 1000 && result.ok(); ++i)
      result = write_text(here, "x");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code(), ErrorCode::closed);
  });
}

TEST_P(EveryStream, WakesAWriterWhosePeerGoes) {
  run([](Stream& here, std::unique_ptr<Stream>& there) {
    rt::Nursery nursery;
    nursery.start([&]() -> Result<void> {
      EXPECT_EQ(write_text(here, pattern(10'000'000)).error().code(), ErrorCode::closed);
      return {};
    });
    TRY_OR_FAIL(rt::sleep(milliseconds(5)));
    EXPECT_EQ(nursery.size(), 1U);
    there.reset();
    EXPECT_TRUE(nursery.join().ok());
  });
}

TEST_P(EveryStream, DeadlinesEndReadsAndWrites) {
  run([](Stream& here, std::unique_ptr<Stream>& there) {
    there->set_read_deadline(rt::Deadline::after(milliseconds(5)));
    std::uint8_t byte = 0;
    EXPECT_EQ(there->read_some({&byte, 1}).error().code(), ErrorCode::timed_out);
    here.set_write_deadline(rt::Deadline::after(milliseconds(5)));
    EXPECT_EQ(write_text(here, pattern(10'000'000)).error().code(), ErrorCode::timed_out);
    // Also when it would not have to wait.
    EXPECT_EQ(there->read_some({&byte, 1}).error().code(), ErrorCode::timed_out);
  });
}

TEST_P(EveryStream, AReadIsCancelledWithItsNursery) {
  run([](Stream&, std::unique_ptr<Stream>& there) {
    ErrorCode code{};
    {
      rt::Nursery nursery;
      nursery.start([&]() -> Result<void> {
        std::uint8_t byte = 0;
        code = there->read_some({&byte, 1}).error().code();
        return {};
      });
      TRY_OR_FAIL(rt::yield());
    }
    EXPECT_EQ(code, ErrorCode::cancelled);
  });
}

TEST_P(EveryStream, PumpMovesEverythingAndTheEnd) {
  run([](Stream& here, std::unique_ptr<Stream>& there) {
    auto text = pattern(100'000);
    MemoryStream source(to_bytes(text), 777);
    rt::Nursery nursery;
    nursery.start([&]() -> Result<void> {
      EXPECT_EQ(TRY(pump(source, here)), text.size());
      return {};
    });
    EXPECT_TRUE(read_to_end(*there) == text);
    EXPECT_TRUE(nursery.join().ok());
  });
}

// -- descriptors that are no sockets
// ----------------------------------------------------------------------------

FIBER_TEST(FdStream, APipeWithoutReaderIsClosedAndKillsNobody) {
  auto pipe = os::create_pipe().value();
  auto writer = open_fd_stream(std::move(pipe.second)).value();
  pipe.first.reset();
  EXPECT_EQ(write_text(*writer, "x").error().code(), ErrorCode::closed);
}

FIBER_TEST(FdStream, APipeEndsWhenItsWritingSideCloses) {
  auto pipe = os::create_pipe().value();
  auto writer = open_fd_stream(std::move(pipe.second)).value();
  auto reader = open_fd_stream(std::move(pipe.first)).value();
  rt::Nursery nursery;
  nursery.start([&]() -> Result<void> {
    TRY(write_text(*writer, pattern(300'000)));
    return writer->close_write();
  });
  EXPECT_EQ(read_to_end(*reader).size(), 300'000U);
  EXPECT_TRUE(nursery.join().ok());
}

FIBER_TEST(FdStream, LeavesASharedPipeAsItWas) {
  auto pipe = os::create_pipe().value();
  auto shared = pipe.first.duplicate().value();
  { auto reader = open_fd_stream(std::move(pipe.first)).value(); }
  EXPECT_EQ(::fcntl(shared.get(), F_GETFL) & O_NONBLOCK, 0);
}

FIBER_TEST(FdStream, ReadsATerminalUntilItsLastProgramEnds) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  auto keeper_side = open_fd_stream(os::Fd(master)).value();
  {
    os::Fd shells(slave);
    auto program_side = open_fd_stream(shells.duplicate().value()).value();
    EXPECT_EQ(::fcntl(slave, F_GETFL) & O_NONBLOCK, 0);  // the shell's descriptor stays as it was
    TRY_OR_FAIL(write_text(*program_side, "hello\n"));
    TRY_OR_FAIL(program_side->close_write());
    TRY_OR_FAIL(write_text(*program_side, "again\n"));
  }
  EXPECT_EQ(read_to_end(*keeper_side), "hello\r\nagain\r\n");
}

// -- messages
// ---------------------------------------------------------------------------------------------------

FIBER_TEST(MessageSocket, CarriesMessagesWithDescriptorsAndTheEnd) {
  auto pair = os::create_socket_pair(SOCK_SEQPACKET).value();
  auto here = MessageSocket::open(std::move(pair.first)).value();
  auto there = MessageSocket::open(std::move(pair.second)).value();
  auto pipe = os::create_pipe().value();
  int fds[] = {pipe.first.get()};
  auto deadline = rt::Deadline::after(std::chrono::seconds(10));
  EXPECT_EQ(there.receive(rt::Deadline::after(milliseconds(2))).error().code(), ErrorCode::timed_out);
  TRY_OR_FAIL(here.send(as_bytes("one"), fds, deadline));
  TRY_OR_FAIL(here.send(as_bytes("two"), {}, deadline));
  here = MessageSocket();
  auto message = there.receive(deadline).value().value();
  EXPECT_EQ(as_text(message.bytes), "one");
  EXPECT_EQ(message.fds.size(), 1U);
  EXPECT_EQ(as_text(there.receive(deadline).value()->bytes), "two");
  EXPECT_FALSE(there.receive(deadline).value().has_value());
}

FIBER_TEST(MessageSocket, LosesNoLastWordOfAPeerThatLeftUnreadMessages) {
  auto pair = os::create_socket_pair(SOCK_SEQPACKET).value();
  auto here = MessageSocket::open(std::move(pair.first)).value();
  auto there = MessageSocket::open(std::move(pair.second)).value();
  auto deadline = rt::Deadline::after(std::chrono::seconds(10));
  TRY_OR_FAIL(here.send(as_bytes("never read"), {}, deadline));
  TRY_OR_FAIL(there.send(as_bytes("goodbye"), {}, deadline));
  there = MessageSocket();
  EXPECT_EQ(as_text(here.receive(deadline).value().value().bytes), "goodbye");
  EXPECT_FALSE(here.receive(deadline).value().has_value());
}

FIBER_TEST(MessageSocket, ManyFibersSendThroughAFullOne) {
  auto pair = os::create_socket_pair(SOCK_SEQPACKET).value();
  auto here = MessageSocket::open(std::move(pair.first)).value();
  auto there = MessageSocket::open(std::move(pair.second)).value();
  auto deadline = rt::Deadline::after(std::chrono::seconds(20));
  Bytes large(20'000);
  rt::Nursery nursery;
  for (int i = 0; i < 100; ++i)
    nursery.start([&]() -> Result<void> { return here.send(large, {}, deadline); });
  TRY_OR_FAIL(rt::sleep(milliseconds(2)));
  EXPECT_GT(nursery.size(), 1U);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(there.receive(deadline).value()->bytes.size(), large.size());
  EXPECT_TRUE(nursery.join().ok());
}

}  // namespace
}  // namespace belljar::io
