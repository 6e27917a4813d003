// What a person decided, on record before it takes effect (I10).
#pragma once

#include <string>

#include "base/result.h"
#include "keeper/directories.h"
#include "ledger/event.h"

namespace belljar::cli {

/// Who is at the terminal: "ada (uid 1000)".
std::string deciding_user();

/// Appends an event of Kind::decision; it is durable when this returns. `jar` empty: for every jar.
/// What a command did that belongs to the record: durable when it answers.
Result<void> record_event(const ledger::Event& event, const std::string& jar,
                          const keeper::Directories& directories);
Result<void> record_decision(const ledger::Event& event, const std::string& jar,
                             const keeper::Directories& directories);

}  // namespace belljar::cli
