// The index of a workspace: any bytes end in an error or in a state whose every reference can be followed.
#include <cstdint>

#include "base/panic.h"
#include "undo/deflate.h"
#include "undo/difference.h"
#include "undo/index.h"

namespace {

constexpr std::size_t kSummed = 16;  // what stands before is not covered by the checksum

void follow(const belljar::undo::Index& index) {
  const auto& state = index.state;
  for (std::uint32_t number = 0; number < state.directories.size(); ++number) {
    const auto& directory = state.directories[number];
    for (auto n = directory.first; n < directory.first + directory.count; ++n) {
      const auto& entry = state.entries[n];
      CHECK(state.find(number, state.name(entry)) == n);
      CHECK(!state.shown_path(number, entry).empty());
      (void)state.attributes(entry);
    }
  }
  (void)belljar::undo::holds_unsaved(state);
  CHECK(belljar::undo::compare(state, state, "").empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  belljar::Bytes bytes(data, data + size);
  // A wrong checksum hides all else from the fuzzer: it is made right.
  if (size > kSummed) {
    auto sum = belljar::undo::checksum(belljar::BytesView(bytes).subspan(kSummed));
    std::memcpy(bytes.data() + kSummed - sizeof sum, &sum, sizeof sum);
  }
  auto index = belljar::undo::decode_index(bytes);
  if (index) follow(*index);
  return 0;
}
