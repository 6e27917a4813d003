#include "base/panic.h"

#include <cstdio>
#include <cstdlib>

namespace belljar {

void panic(std::string_view why, const char* file, int line) {
  std::fprintf(stderr, "belljar: internal error: %.*s (%s:%d)\n", static_cast<int>(why.size()), why.data(),
               file, line);
  std::abort();
}

}  // namespace belljar
