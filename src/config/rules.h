// The rules of one [[egress.allow]] or [[egress.deny]] table.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/table_reader.h"

namespace belljar::config {

/// Adds the table's rules to `config`; what is wrong goes to `problems`. A rule without methods is for GET
/// and HEAD when it allows and for every method, scheme and port when it denies.
void read_rule(const Node& table, policy::Verdict verdict, Problems& problems, Config& config);

}  // namespace belljar::config
