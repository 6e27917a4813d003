// Listings of a checkpoint: any bytes end in an error or in entries that are encoded to the same bytes again.
#include <algorithm>
#include <cstdint>

#include "base/panic.h"
#include "undo/listing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  belljar::undo::State state;
  if (!belljar::undo::decode_listing({data, size}, state)) return 0;
  for (const auto& entry : state.entries) {
    auto name = belljar::undo::tree_name(state.name(entry));
    CHECK(!name.empty() && name.find('/') == std::string::npos && !name.starts_with(".git"));
  }
  auto count = static_cast<std::uint32_t>(state.entries.size());
  auto again = belljar::undo::encode_listing(state, 0, count);
  belljar::undo::State second;
  CHECK(belljar::undo::decode_listing(again, second).ok());
  CHECK(second.entries.size() == state.entries.size());
  return 0;
}
