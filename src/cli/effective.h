// What counts for one jar: the user's configuration, the jar's own rules and the agent's profile put
// together. One place, so that what `policy show` prints is what a start enforces.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agents/profile.h"
#include "base/result.h"
#include "config/config.h"
#include "config/registries.h"
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

/// `jar` may be one that doesn't exist yet; `profile` is absent for `run`.
Result<Effective> load_effective(const keeper::Directories& directories, const std::string& jar,
                                 const agents::Profile* profile);

/// The per-jar file that `belljar allow` writes, or config.toml for every jar; and how messages call it.
struct ConfigFile {
  std::string path;
  std::string shown;
};
ConfigFile user_config_file(const keeper::Directories& directories);
ConfigFile jar_config_file(const keeper::Directories& directories, const std::string& jar);

/// A rule of `--allow HOST[:PORT]`.
Result<policy::Rule> rule_of_option(const std::string& option);

/// The jar that a command without --jar means: the named one, else that of the current directory.
Result<keeper::JarRecord> find_meant_jar(const keeper::Directories& directories, const std::string& name);

}  // namespace belljar::cli
