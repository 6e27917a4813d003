#include "os/spawn.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/passing.h"

namespace belljar::os {
namespace {

using testing::HasSubstr;

std::string output_of(SpawnPlan plan) {
  auto pipe = create_pipe().value();
  plan.fds.resize(std::max<std::size_t>(plan.fds.size(), 2), -1);
  plan.fds[1] = pipe.second.get();
  auto child = spawn(plan).value();
  pipe.second.reset();
  auto text = read_all(pipe.first.get(), 1 << 20).value();
  EXPECT_EQ(child.wait().value().shell_code(), 0);
  return text;
}

TEST(Spawn, GivesExactlyTheNamedDescriptors) {
  auto leaked = open_file("/etc/passwd", O_RDONLY).value();
  ::fcntl(leaked.get(), F_SETFD, 0);  // even one that somebody forgot to mark close-on-exec
  auto pair = create_pipe().value();
  auto text =
      output_of({.program = "/bin/sh",
                 .arguments = {"sh", "-c", "for n in /proc/self/fd/*; do printf '%s ' ${n##*/}; done"},
                 .environment = {},
                 .fds = {-1, -1, -1, -1, pair.second.get()}});
  // ls-like globbing needs one descriptor of its own (3, free in the child).
  EXPECT_EQ(text, "0 1 2 3 4 ");
}

TEST(Spawn, GivesExactlyTheNamedEnvironment) {
  EXPECT_EQ(output_of({.program = "/usr/bin/env", .arguments = {"env"}, .environment = {"ONLY=this"}}),
            "ONLY=this\n");
}

TEST(Spawn, ReportsAProgramThatCannotRun) {
  auto child = spawn({.program = "/nowhere/at/all", .arguments = {"x"}});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().code(), ErrorCode::not_found);
  EXPECT_THAT(child.error().to_string(), HasSubstr("/nowhere/at/all"));
}

TEST(Pid, TellsHowAProcessEnded) {
  auto exits = spawn({.program = "/bin/sh", .arguments = {"sh", "-c", "exit 3"}}).value();
  EXPECT_EQ(exits.wait().value().shell_code(), 3);
  auto killed = spawn({.program = "/bin/sleep", .arguments = {"sleep", "100"}}).value();
  EXPECT_FALSE(killed.poll().value().has_value());
  ASSERT_TRUE(killed.signal(SIGTERM).ok());
  EXPECT_EQ(killed.wait().value().shell_code(), 128 + SIGTERM);
}

TEST(Passing, CarriesBytesAndDescriptors) {
  auto pair = create_socket_pair(SOCK_SEQPACKET).value();
  auto pipe = create_pipe().value();
  int fds[] = {pipe.second.get()};
  ASSERT_TRUE(send_message(pair.first.get(), as_bytes("here"), fds).ok());
  auto message = receive_message(pair.second.get()).value();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(as_text(message->bytes), "here");
  ASSERT_EQ(message->fds.size(), 1U);
  ASSERT_TRUE(write_all(message->fds[0].get(), as_bytes("through")).ok());
  char text[8] = {};
  EXPECT_EQ(::read(pipe.first.get(), text, sizeof text), 7);
}

TEST(Passing, TellsThatThePeerClosed) {
  auto pair = create_socket_pair(SOCK_SEQPACKET).value();
  pair.first.reset();
  EXPECT_FALSE(receive_message(pair.second.get()).value().has_value());
}

TEST(Fd, OpenBeneathRefusesEveryWayOut) {
  char name[] = "/tmp/belljar-test-XXXXXX";
  std::string root = ::mkdtemp(name);
  ASSERT_EQ(::symlink("/etc/passwd", (root + "/link").c_str()), 0);
  auto directory = open_file(root, O_PATH | O_DIRECTORY).value();
  EXPECT_FALSE(open_beneath(directory.get(), "../etc/passwd", O_RDONLY).ok());
  EXPECT_FALSE(open_beneath(directory.get(), "/etc/passwd", O_RDONLY).ok());
  EXPECT_FALSE(open_beneath(directory.get(), "link", O_RDONLY).ok());
  EXPECT_TRUE(open_beneath(directory.get(), "new", O_WRONLY | O_CREAT).ok());
  ::unlink((root + "/link").c_str());
  ::unlink((root + "/new").c_str());
  ::rmdir(root.c_str());
}

TEST(Fd, ASealedFileCannotBeWritten) {
  auto file = create_sealed_file("test", as_bytes("fixed")).value();
  EXPECT_LT(::write(file.get(), "x", 1), 0);
  EXPECT_EQ(read_all(file.get(), 100).value(), "fixed");
  EXPECT_FALSE(read_all(create_sealed_file("test", as_bytes("fixed")).value().get(), 4).ok());
}

}  // namespace
}  // namespace belljar::os
