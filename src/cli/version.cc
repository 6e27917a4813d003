#include <fmt/core.h>

#include "cli/commands.h"

namespace belljar::cli {

Result<int> run_command(const Version&, const keeper::Directories&) {
  fmt::print("belljar {}\n", BELLJAR_VERSION);
  return 0;
}

}  // namespace belljar::cli
