#include "cli/image_root.h"

#include <cstdlib>

#include <fmt/core.h>
#include <unistd.h>

#include "agents/home.h"
#include "agents/program.h"
#include "cli/host_checks.h"
#include "image/prepare.h"
#include "jar/root/image_generation.h"
#include "keeper/tell.h"
#include "tls/authority.h"

namespace belljar::cli {

namespace {

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "";
}

std::string install_tools() {
  auto command = install_command({}, "skopeo umoci");
  return command.empty() ? "install skopeo and umoci with your distribution's packages" : command;
}

Error lacks(const AgentInImage& agent, const std::string& why, const std::string& program) {
  return Error(ErrorCode::not_found, fmt::format("{}, and the image {} has none", why, agent.image))
      .with_hint(fmt::format(
          "use an image that has {0}   (for node and npm: docker://node:22), or set root = \"auto\" "
          "under [jar]",
          program));
}

/// What runs this program and is not in the image; empty: nothing is lacking.
std::string lacking_for(const AgentInImage& agent, const agents::Program& program) {
  auto named = agents::interpreter_of(program.path);
  if (program.interpreter.empty() && !named.empty())
    return jar::has_program(agent.generation, named) ? "" : named;
  auto loader = agents::loader_of(program.interpreter.empty() ? program.path : program.interpreter);
  return loader.empty() || jar::has_program(agent.generation, loader) ? "" : loader;
}

/// A link of an earlier start leads to the host's program, which may not be shown any more.
bool is_installed(const AgentInImage& agent) {
  char target[2] = {};
  auto path = agent.home + "/.local/bin/" + agent.profile.command;
  auto length = ::readlink(path.c_str(), target, sizeof target);
  return ::access(path.c_str(), F_OK) == 0 && !(length > 0 && target[0] == '/');
}

/// Whether there is another way to have it than the host's program.
bool can_do_without_host(const AgentInImage& agent) {
  const auto& profile = agent.profile;
  return jar::has_program(agent.generation, profile.command) || is_installed(agent) ||
         (!profile.npm_package.empty() && jar::has_program(agent.generation, "npm"));
}

/// The host's program, if the jar can run it.
Result<bool> show_of_host(const AgentInImage& agent, keeper::Plan& plan) {
  const auto& command = agent.profile.command;
  auto program = agents::find_program(command, search_path(), plan.spec.workspace);
  if (!program || agents::is_system_path(program->path)) return false;
  if (auto lacking = lacking_for(agent, *program); !lacking.empty()) {
    if (can_do_without_host(agent)) return false;
    return lacks(agent, fmt::format("{} of this host is run by {}", command, lacking), lacking);
  }
  for (const auto& bind : program->binds)
    plan.spec.programs.push_back({bind});
  TRY(agents::link_in_home(agent.home, ".local/bin/" + command, program->path));
  if (!program->interpreter.empty())
    TRY(agents::link_in_home(agent.home,
                             ".local/bin/" + program->interpreter.substr(program->interpreter.rfind('/') + 1),
                             program->interpreter));
  return true;
}

}  // namespace

jar::ExecRequest npm_installation(const std::string& package, const std::string& home,
                                  std::vector<std::string> environment) {
  return {.arguments = {"npm", "install", "--global", "--prefix", home + "/.local", "--no-fund", "--no-audit",
                        package},
          .environment = std::move(environment),
          .working_directory = home};
}

Result<std::string> make_image_root(jar::JarSpec spec, const config::Config& config,
                                    const std::string& libexec_directory) {
  spec.ca_subject_hash = tls::kAuthoritySubjectHash;
  spec.tell = [](const std::string& line) { keeper::tell(line); };
  auto reference = TRY(config::parse_image_reference(config.image.value_or("")));
  auto prepared = TRY(image::prepare_image(spec, {.reference = std::move(reference),
                                                  .libexec_directory = libexec_directory,
                                                  .search_path = search_path(),
                                                  .how_to_install = install_tools()}));
  return prepared.generation_directory;
}

Result<void> provide_program_in_image(const AgentInImage& agent, keeper::Plan& plan) {
  const auto& profile = agent.profile;
  if (TRY(show_of_host(agent, plan))) return {};
  if (jar::has_program(agent.generation, profile.command) || profile.npm_package.empty() ||
      is_installed(agent))
    return {};
  if (!jar::has_program(agent.generation, "npm"))
    return lacks(agent,
                 fmt::format("{} is not there to be shown to a jar and needs npm to be installed in it",
                             profile.command),
                 "npm");
  plan.preparations.push_back(
      {.what = fmt::format("installing {} into the jar (not in its image)", profile.npm_package),
       .request = npm_installation(profile.npm_package, plan.spec.home, agent.environment)});
  return {};
}

MissingTools missing_image_tools() {
  MissingTools missing;
  for (const auto* name : {"skopeo", "umoci"})
    if (!agents::find_program(name, search_path(), ""))
      missing.what += (missing.what.empty() ? "" : " and ") + std::string(name);
  if (!missing.what.empty()) missing.install = install_tools();
  return missing;
}

}  // namespace belljar::cli
