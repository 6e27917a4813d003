// A repository's belljar.toml: whatever it holds is read or refused with a place, and what it would change
// can be told against any user's configuration.
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "config/project.h"

using namespace belljar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > config::kMaxProjectFile) return 0;
  auto project = config::parse_project(as_text({data, size}));
  if (!project.ok()) {
    CHECK(project.error().message().starts_with("belljar.toml:"));
    return 0;
  }
  // What only the user may say never comes out of it.
  CHECK(!project->backend && !project->allow_unguarded && !project->root);
  CHECK(!project->undo.keep && !project->undo.size && !project->undo.ignored);
  std::size_t allows = 0;
  for (const auto& rule : project->rules)
    allows += rule.verdict != policy::Verdict::deny ? 1 : 0;
  std::size_t widens = 0;
  for (const auto& change : config::changes_of(*project, {}))
    widens += change.widens ? 1 : 0;
  CHECK(widens >= allows + project->services.size() + project->passed_variables.size());
  return 0;
}
