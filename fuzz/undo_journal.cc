// The journal of an undo, and gitignore patterns: both are read from files that may be anything.
#include <cstdint>

#include "base/panic.h"
#include "undo/ignored.h"
#include "undo/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text{reinterpret_cast<const char*>(data), size};
  auto journal = belljar::undo::parse_journal(text);
  if (journal) {
    CHECK(journal->target != 0 && journal->staging.find('/') == std::string::npos);
    CHECK(belljar::undo::to_text(*journal) == text);
  }
  auto half = text.substr(0, size / 2);
  auto path = text.substr(size / 2);
  std::uint64_t steps = 10'000'000;
  auto verdict = belljar::undo::judge_ignored(half, path, size % 2 == 0, steps);
  CHECK(verdict >= -1 && verdict <= 1);
  return 0;
}
