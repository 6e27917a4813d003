// A yes-or-no question to the person at the terminal.
#pragma once

#include <string>

namespace belljar::cli {

/// Whether there is somebody to ask: standard input and error are a terminal.
bool can_ask();

/// Asks on standard error; only a clear yes is one.
bool ask_yes(const std::string& question);

}  // namespace belljar::cli
