// Two index files of git, one after the other: the first two bytes say how long the first is.
#include "undo/git_index.h"

#include <cstdint>

#include "base/panic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  belljar::BytesView bytes(data + 2, size - 2);
  auto half = std::min<std::size_t>(data[0] * 256U + data[1], bytes.size());
  auto first = bytes.first(half);
  auto second = bytes.subspan(half);
  bool same = belljar::undo::say_the_same(first, second);
  CHECK(same == belljar::undo::say_the_same(second, first));
  return 0;
}
