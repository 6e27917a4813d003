#include "proxy/answer.h"

#include <gmock/gmock.h>

#include "io/memory.h"

namespace belljar::proxy {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string answer_to(const gateway::Refusal& refusal, std::string_view method, bool keep_alive) {
  io::MemoryStream client;
  EXPECT_TRUE(write_refusal(client, refusal, method, keep_alive).ok());
  return std::string(as_text(client.written()));
}

TEST(Refusals, SayWhyInTheBodyAndInAHeader) {
  auto answer =
      answer_to({.status = 403, .reason = "no rule allows \"x\"", .how = "ask", .origin = ""}, "POST", true);
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 403 Forbidden\r\n"));
  EXPECT_THAT(answer, HasSubstr("x-belljar: no rule allows \"x\"; ask\r\n"));
  EXPECT_THAT(answer,
              HasSubstr("\r\n\r\n{\"error\":\"belljar: no rule allows \\\"x\\\"\",\"how\":\"ask\"}\n"));
  EXPECT_THAT(answer, Not(HasSubstr("connection: close")));
}

TEST(Refusals, ToHeadHaveNoBody) {
  auto answer = answer_to({.status = 502, .reason = "gone", .how = "", .origin = ""}, "HEAD", false);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
  EXPECT_THAT(answer, testing::MatchesRegex("[^\v]*[Cc]onnection: close\r\n[^\v]*"));
}

TEST(Refusals, NothingOfAReasonBecomesAFieldOfItsOwn) {
  auto answer = answer_to(
      {.status = 403, .reason = "a\r\nset-cookie: b\x01\xc3\xa9", .how = "", .origin = ""}, "GET", true);
  EXPECT_THAT(answer, HasSubstr("x-belljar: a??set-cookie: b???\r\n"));
  EXPECT_THAT(answer, HasSubstr("a\\u000d\\u000aset-cookie"));
  auto longest =
      answer_to({.status = 403, .reason = std::string(100000, 'a'), .how = "", .origin = ""}, "GET", true);
  EXPECT_LT(longest.find("\r\n\r\n"), 2000U);
}

}  // namespace
}  // namespace belljar::proxy
