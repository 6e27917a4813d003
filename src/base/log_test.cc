#include "base/log.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace belljar {
namespace {

TEST(Log, HoldsNothingThatATerminalWouldObey) {
  ::setenv("BELLJAR_LOG", "warning", 1);
  log::start("test");
  testing::internal::CaptureStderr();
  log::warning("{}", "a\x1b[2Jb\nc\x7f d\u009b2J caf\u00e9 …");
  auto line = testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find("a?[2Jb?c? d\xc2?2J caf\u00e9 …\n"), std::string::npos) << line;
}

}  // namespace
}  // namespace belljar
