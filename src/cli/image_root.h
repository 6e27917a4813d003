// A jar whose system is an image's: making it ready, and what of the host's programs can run in it.
#pragma once

#include <string>

#include "agents/profile.h"
#include "base/result.h"
#include "config/config.h"
#include "jar/jar_spec.h"
#include "keeper/plan.h"

namespace belljar::cli {

/// Makes the image of this configuration ready for the jar of the specification, and says so. Answers the
/// directory of its root generation.
Result<std::string> make_image_root(jar::JarSpec spec, const config::Config& config,
                                    const std::string& libexec_directory);

struct AgentInImage {
  const agents::Profile& profile;
  std::string home;        ///< the jar's, on the host
  std::string generation;  ///< of the image
  std::string image;       ///< its reference, for messages
  std::vector<std::string> environment;
};

/// The agent's program: the host's, where that stands outside of the host's system and what runs it is in the
/// image; else the image's own; else its installation as a preparation. not_found says what the image lacks.
Result<void> provide_program_in_image(const AgentInImage& agent, keeper::Plan& plan);

/// What installs an agent from npm into the jar's home.
jar::ExecRequest npm_installation(const std::string& package, const std::string& home,
                                  std::vector<std::string> environment);

/// Of skopeo and umoci, what is not on this host, with the command that installs both; for doctor.
struct MissingTools {
  std::string what;  ///< empty: nothing
  std::string install;
};
MissingTools missing_image_tools();

}  // namespace belljar::cli
