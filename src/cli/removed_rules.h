// The rules of a jar that goes.
#pragma once

#include <string>

#include "base/result.h"
#include "keeper/directories.h"

namespace belljar::cli {

/// A jar that gets this name later must not be let through by what was said of another one: deletes the
/// jar's rules, on record and durably. False where there are none.
Result<bool> remove_rules(const std::string& jar, const keeper::Directories& directories);

}  // namespace belljar::cli
