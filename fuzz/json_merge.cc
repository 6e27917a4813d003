// A file of a jar's home into which a login's needs are merged.
#include "agents/json_merge.h"

#include <cstdint>

#include "base/panic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kWanted = R"({"keys": {"approved": ["x"]}, "done": true})";
  auto merged = belljar::agents::merge_json({reinterpret_cast<const char*>(data), size}, kWanted);
  // What was merged has all that was wanted.
  if (merged) CHECK(!belljar::agents::merge_json(*merged, kWanted));
  return 0;
}
