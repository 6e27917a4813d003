#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/json.h"

namespace belljar::cli {

Result<int> run_command(const Version& command, const keeper::Directories&) {
  if (command.json)
    print_json({{"version", BELLJAR_VERSION}});
  else
    fmt::print("belljar {}\n", BELLJAR_VERSION);
  return 0;
}

}  // namespace belljar::cli
