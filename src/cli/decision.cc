#include "cli/decision.h"

#include <cstdlib>

#include <fmt/core.h>
#include <unistd.h>

#include "ledger/store.h"

namespace belljar::cli {

std::string deciding_user() {
  const char* name = nullptr;
  for (const char* variable : {"USER", "LOGNAME"})
    if (name == nullptr || *name == '\0') name = std::getenv(variable);
  if (name == nullptr || *name == '\0') return fmt::format("uid {}", ::getuid());
  return fmt::format("{} (uid {})", name, ::getuid());
}

Result<void> record_event(const ledger::Event& event, const std::string& jar,
                          const keeper::Directories& directories) {
  auto store = TRY(ledger::Store::open(directories.ledger()));
  return store.append({{.time = ledger::wall_clock(), .jar = jar, .source = "cli", .event = encode(event)}});
}

Result<void> record_decision(const ledger::Event& event, const std::string& jar,
                             const keeper::Directories& directories) {
  return record_event(event, jar, directories).context("recording the decision");
}

}  // namespace belljar::cli
