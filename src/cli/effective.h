// What counts for one jar: the agent's profile, the user's config.toml, the repository's approved
// belljar.toml, the jar's own file and the command line, later ones before earlier. One place, so that what
// `policy show` prints is what a start enforces.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agents/profile.h"
#include "base/result.h"
#include "cli/arguments.h"
#include "config/config.h"
#include "config/registries.h"
#include "jar/jar_spec.h"
#include "keeper/directories.h"
#include "keeper/jars.h"
#include "policy/policy.h"

namespace belljar::cli {

struct Effective {
  config::Config config;
  config::Registries registries;
  policy::Policy policy;
  /// For the jar's environment: the model server that the user's environment names, as the jar reaches it.
  std::map<std::string, std::string> endpoint;
  std::vector<std::string> notes;  ///< what the user may want to know, one line each
};

/// Whose.
struct EffectiveRequest {
  std::string jar;                           ///< may be one that doesn't exist yet
  std::string workspace;                     ///< empty: none
  const agents::Profile* profile = nullptr;  ///< absent for `run`
  const StartOptions* options = nullptr;     ///< of the command line
  bool may_ask = false;  ///< about a belljar.toml that was not decided on; else it is only noted
};
Result<Effective> load_effective(const keeper::Directories& directories, const EffectiveRequest& request);

/// The configuration alone: what `load_effective` puts together, without the policy.
Result<config::Config> load_config_of(const keeper::Directories& directories, const EffectiveRequest& request,
                                      std::vector<std::string>& notes);

/// The per-jar file that `belljar allow` writes, or config.toml for every jar; and how messages call it.
struct ConfigFile {
  std::string path;
  std::string shown;
};
ConfigFile user_config_file(const keeper::Directories& directories);
ConfigFile jar_config_file(const keeper::Directories& directories, const std::string& jar);

/// How the configuration wants the system directories of a jar.
jar::RootChoice root_choice(const config::Config& config);

/// A rule of `--allow HOST[:PORT]`.
Result<policy::Rule> rule_of_option(const std::string& option);

/// The jar that a command without --jar means: the named one, else that of the current directory.
Result<keeper::JarRecord> find_meant_jar(const keeper::Directories& directories, const std::string& name);

}  // namespace belljar::cli
