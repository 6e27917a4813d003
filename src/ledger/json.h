// Rows of the ledger as JSON: the format of `belljar log --json`, one object a line.
#pragma once

#include <string>

#include "ledger/store.h"

namespace belljar::ledger {

/// One line without its end. Fields that say nothing are left out; `time` is RFC 3339 in UTC with
/// microseconds.
std::string to_json(const Row& row);
std::string to_json(const Verification& verification);

/// "2026-11-30T13:12:04.123456Z".
std::string format_time(std::int64_t microseconds);

}  // namespace belljar::ledger
