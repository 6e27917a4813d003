// From CLI11's grammar to an outline.
#pragma once

#include "cli/outline.h"

namespace CLI {
class App;
}

namespace belljar::cli {

CommandOutline outline_of(const CLI::App& app);

}  // namespace belljar::cli
