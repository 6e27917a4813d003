// panic: a broken invariant of our own. Ends the process, also in release: a wrong state is never worked
// with.
#pragma once

#include <string_view>

namespace belljar {

[[noreturn]] void panic(std::string_view why, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE());

}  // namespace belljar

/// Checks an invariant in every build.
#define CHECK(condition)                             \
  do {                                               \
    if (!(condition)) [[unlikely]]                   \
      ::belljar::panic("check failed: " #condition); \
  } while (false)
