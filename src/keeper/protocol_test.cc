#include "keeper/protocol.h"

#include <gtest/gtest.h>

namespace belljar::keeper {
namespace {

TEST(Protocol, EveryRequestComesBackAsItWas) {
  const Request requests[] = {
      request::StartJar{{.given = 5, .terminal = jar::TerminalSize{40, 110}}},
      request::Attach{.size = {24, 80}, .read_only = true, .take_over = true},
      request::Exec{{.given = 7, .terminal = {}}},
      request::Input{to_bytes("a\0b")},
      request::Resize{{1, 65535}},
      request::Signal{15},
      request::Status{},
      request::Stop{.grace = 3},
      request::Pause{},
      request::Resume{},
      request::Logs{.follow = true},
      request::Connect{.port = 8080},
      request::Detach{},
      request::Watch{},
      request::Proceed{},
  };
  for (const auto& request : requests) {
    auto decoded = decode_request(encode(request));
    ASSERT_TRUE(decoded.ok()) << request.index() << ": " << decoded.error().to_string();
    EXPECT_EQ(*decoded, request);
  }
}

TEST(Protocol, EveryAnswerComesBackAsItWas) {
  const Answer answers[] = {
      answer::Started{},
      answer::Output{Bytes(kMaxPiece, 7)},
      answer::Progress{to_bytes("added 5 packages")},
      answer::Told{"not guarded"},
      answer::LeftBehind{.path = ".envrc", .why = "direnv"},
      answer::Ended{.exit_code = 130, .traps = 3},
      answer::Failed{.exit_code = 125, .why = "no", .hint = "belljar doctor", .nothing_has_run = true},
      answer::Detached{"taken over"},
      answer::StatusReport{.state = "running",
                           .command = "claude",
                           .started = 5,
                           .memory = 1U << 31,
                           .terminal = true,
                           .why = "the disk",
                           .out_of_memory = 3,
                           .limits = {{"memory", "4G", true, "control group"}}},
      answer::Done{},
      answer::Connected{},
      answer::Changed{"paused"},
  };
  for (const auto& answer : answers) {
    auto decoded = decode_answer(encode(answer));
    ASSERT_TRUE(decoded.ok()) << answer.index() << ": " << decoded.error().to_string();
    EXPECT_EQ(*decoded, answer);
  }
}

TEST(Protocol, RefusesWhatIsNoMessage) {
  auto bytes = encode(Request(request::Resize{{24, 80}}));
  bytes[0] = kProtocolVersion + 1;
  EXPECT_EQ(decode_request(bytes).error().code(), ErrorCode::unsupported);
  bytes[0] = kProtocolVersion;
  bytes[1] = 200;
  EXPECT_EQ(decode_request(bytes).error().code(), ErrorCode::malformed);
  EXPECT_EQ(decode_request(encode(Request(request::Resize{{0, 80}}))).error().code(), ErrorCode::malformed);
  EXPECT_EQ(decode_request(encode(Request(request::Signal{65}))).error().code(), ErrorCode::malformed);
  EXPECT_FALSE(decode_request(encode(Request(request::Connect{0}))).ok());
  auto longer = encode(Request(request::Status{}));
  longer.push_back(0);
  EXPECT_FALSE(decode_request(longer).ok());
  EXPECT_FALSE(decode_request({}).ok());
}

TEST(Protocol, CutsTextsToTheirBound) {
  auto decoded = decode_answer(encode(Answer(answer::Told{std::string(100'000, 'x')})));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(std::get<answer::Told>(*decoded).line.size(), kMaxText);
}

}  // namespace
}  // namespace belljar::keeper
