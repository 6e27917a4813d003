#include "keeper/gateway.h"

#include <cerrno>

#include <gtest/gtest.h>
#include <unistd.h>

#include "gateway/setup.h"

namespace belljar::keeper {
namespace {

TEST(GatewayInputs, TheFileOfNamesHasABound) {
  auto inputs = make_gateway_inputs({}, {.certificate = "certificate", .key = Secret("key")}).value();
  constexpr auto kEnd = static_cast<off_t>(gateway::kNamesFileSize);
  EXPECT_EQ(::pwrite(inputs.names.get(), "x", 1, kEnd - 1), 1);
  EXPECT_EQ(::pwrite(inputs.names.get(), "x", 1, kEnd), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(inputs.names.get(), 0), -1);
}

}  // namespace
}  // namespace belljar::keeper
