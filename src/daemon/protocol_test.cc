#include "daemon/protocol.h"

#include <gtest/gtest.h>

#include "os/passing.h"

namespace belljar::daemon {
namespace {

KnownJar whole_jar() {
  KnownJar jar{
      .name = "app",
      .workspace = "/home/u/app",
      .agent = "claude",
      .created = 5,
      .started = 7,
      .ended = keeper::EndRecord{6, -1},
      .generation = "metadata-0123",
      .state = "running",
      .running = true,
      .requests = RequestCount{1ULL << 40, 3},
      .requests_complete = true,
      .live = keeper::answer::StatusReport{.state = "paused", .command = "claude", .memory = 1U << 31}};
  return jar;
}

TEST(DaemonProtocol, EveryMessageComesBackAsItWas) {
  for (const auto& request : {Request(request::List{}), Request(request::About{})})
    EXPECT_EQ(decode_request(encode(request)).value(), request);
  auto killed = whole_jar();
  killed.ended = keeper::EndRecord{6, std::nullopt};
  killed.live.reset();
  killed.requests.reset();
  const Answer answers[] = {
      whole_jar(),
      killed,
      KnownJar{},
      answer::End{{"a note", ""}},
      answer::About{.process = 9, .started = 8, .jars = 3, .running = 1, .registry = "good", .notes = {"x"}},
      answer::Failed{"no"},
  };
  for (const auto& answer : answers) {
    auto decoded = decode_answer(encode(answer));
    ASSERT_TRUE(decoded.ok()) << answer.index() << ": " << decoded.error().to_string();
    EXPECT_EQ(*decoded, answer);
  }
}

TEST(DaemonProtocol, RefusesWhatIsNoMessage) {
  auto bytes = encode(Request(request::List{}));
  bytes[0] = kProtocolVersion + 1;
  EXPECT_EQ(decode_request(bytes).error().code(), ErrorCode::unsupported);
  bytes[0] = kProtocolVersion;
  bytes.push_back(0);
  EXPECT_EQ(decode_request(bytes).error().code(), ErrorCode::malformed);
  bytes = {kProtocolVersion, 77};
  EXPECT_EQ(decode_request(bytes).error().code(), ErrorCode::malformed);
  EXPECT_FALSE(decode_request({}).ok());
  // Figures that are another message of a keeper's.
  auto jar = encode(Answer(whole_jar()));
  auto report = keeper::encode(keeper::Answer(*whole_jar().live));
  jar[jar.size() - report.size() + 1] = 0;  // the kind
  EXPECT_FALSE(decode_answer(jar).ok());
}

TEST(DaemonProtocol, EveryMessageFitsIntoOnePacket) {
  const std::string endless(100'000, 'x');
  auto jar = whole_jar();
  for (auto* text : {&jar.name, &jar.workspace, &jar.agent, &jar.generation, &jar.state})
    *text = endless;
  jar.live->command = jar.live->state = jar.live->gateway = endless;
  EXPECT_LE(encode(Answer(jar)).size(), os::kMaxMessage);
  EXPECT_LE(encode(Answer(answer::End{std::vector<std::string>(100, endless)})).size(), os::kMaxMessage);
  EXPECT_TRUE(decode_answer(encode(Answer(answer::End{std::vector<std::string>(100, endless)}))).ok());
}

}  // namespace
}  // namespace belljar::daemon
