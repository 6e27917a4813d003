// The jar's /var: the state that package managers need, copied; of everything else the directories, empty.
#pragma once

#include <string>

#include "base/result.h"
#include "jar/identity.h"

namespace belljar::jar {

/// Makes `tree` from the host's `var` ("/var"). What others can't read is not copied; logs, mail, spools and
/// the data of services never are.
Result<void> make_var(const std::string& var, const std::string& tree, const Identity& identity);

}  // namespace belljar::jar
