// The reader of git configurations: any bytes end in a list of settings, each of which has an answer.
#include "jar/workspace/git_config.h"

#include <cstdint>

#include "base/panic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto settings = belljar::jar::parse_git_config({reinterpret_cast<const char*>(data), size});
  CHECK(settings.size() <= size + 1);
  for (const auto& setting : settings) {
    CHECK(setting.name.find('.') != std::string::npos);
    (void)belljar::jar::executes(setting);
  }
  return 0;
}
