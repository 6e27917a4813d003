#include "gateway/link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "io/memory.h"
#include "rt/nursery.h"

namespace belljar::gateway {
namespace {

rt::Deadline soon() { return rt::Deadline::after(std::chrono::seconds(5)); }

Result<void> in_loop(std::function<Result<void>()> body) {
  rt::Loop loop;
  return loop.run(std::move(body));
}

TEST(Link, FramesArriveInOrderAndTheEndIsAValue) {
  auto outcome = in_loop([]() -> Result<void> {
    auto [left, right] = io::create_memory_pipe();
    Link sender(std::move(left));
    Link receiver(std::move(right));
    TRY(sender.send_body(Bytes(kMaxChunk + 1, 'x'), soon()));
    TRY(sender.send(End{}, soon()));
    sender.close();
    EXPECT_EQ(std::get<Body>(TRY(receiver.receive_frame(soon()))).bytes.size(), kMaxChunk);
    EXPECT_EQ(std::get<Body>(TRY(receiver.receive_frame(soon()))).bytes.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<End>(TRY(receiver.receive_frame(soon()))));
    EXPECT_FALSE(TRY(receiver.receive(soon())).has_value());
    EXPECT_EQ(receiver.receive_frame(soon()).error().code(), ErrorCode::closed);
    return {};
  });
  EXPECT_TRUE(outcome.ok()) << outcome.error().to_string();
}

TEST(Link, AFrameThatIsCutIsNoEnd) {
  for (std::size_t length : {1U, 4U, 5U, 6U}) {
    auto bytes = encode(Body{to_bytes("ab")});
    bytes.resize(length);
    Link link(std::make_unique<io::MemoryStream>(bytes));
    EXPECT_FALSE(link.receive(rt::Deadline::never()).ok()) << length;
  }
}

TEST(Link, AFrameBeyondItsBoundIsMalformed) {
  Link link(std::make_unique<io::MemoryStream>(Bytes{3, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(link.receive(rt::Deadline::never()).error().code(), ErrorCode::malformed);
}

TEST(LinkChannel, HandsOverALinkAndTellsTheDeathOfTheOtherSide) {
  auto outcome = in_loop([]() -> Result<void> {
    auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
    LinkOpener opener(TRY(io::MessageSocket::open(std::move(pair.first))));
    auto listener = std::make_unique<LinkListener>(TRY(io::MessageSocket::open(std::move(pair.second))));
    auto near = TRY(opener.open());
    auto far = TRY(listener->accept());
    TRY(near->send(Abort{.reason = "hello"}, soon()));
    EXPECT_EQ(std::get<Abort>(TRY(far->receive_frame(soon()))).reason, "hello");
    listener.reset();
    EXPECT_FALSE(opener.open().ok());
    return {};
  });
  EXPECT_TRUE(outcome.ok()) << outcome.error().to_string();
}

TEST(LinkChannel, WhatIsNoStreamSocketIsNoLink) {
  auto outcome = in_loop([]() -> Result<void> {
    auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
    auto sender = TRY(io::MessageSocket::open(std::move(pair.first)));
    LinkListener listener(TRY(io::MessageSocket::open(std::move(pair.second))));
    auto pipe = TRY(os::create_pipe());
    int handed = pipe.first.get();
    TRY(sender.send(as_bytes("x"), std::span(&handed, 1), soon()));
    TRY(sender.send(as_bytes("x"), {}, soon()));
    sender = io::MessageSocket();
    EXPECT_EQ(TRY(listener.accept()), nullptr);
    return {};
  });
  EXPECT_TRUE(outcome.ok()) << outcome.error().to_string();
}

}  // namespace
}  // namespace belljar::gateway
