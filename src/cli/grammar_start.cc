// Commands that start a jar, and their options.
#include "agents/profile.h"
#include "cli/grammar.h"

namespace belljar::cli {

/// What of a start `policy show` and `policy test` take into account, too.
void add_policy_options(CLI::App& app, StartOptions& options) {
  app.add_option("--jar", options.jar, "Name of the jar (default: the one of this directory)")
      ->type_name("JAR");
  app.add_option("--allow", options.allow, "HOST or HOST:PORT to allow reading from, for this start")
      ->type_name("HOST")
      ->allow_extra_args(false);
  app.add_option("--memory", options.memory, "Most memory of the jar, as 4G or 512M")->type_name("SIZE");
  app.add_option("--cpus", options.cpus, "Most processor cores of the jar, as 2 or 0.5")->type_name("CORES");
  app.add_option("--pids", options.processes, "Most processes in the jar")->type_name("NUMBER");
  app.add_option("--wall", options.wall, "End the jar after this time, as 8h or 90m")->type_name("TIME");
  app.add_option("--disk", options.disk, "Most that the jar may add to the disk, as 20G")->type_name("SIZE");
}

void add_start_options(CLI::App& app, StartOptions& options) {
  add_policy_options(app, options);
  app.add_option("--workspace", options.workspace,
                 "Directory to show in the jar (default: the repository around you)")
      ->type_name("DIR");
  app.add_flag("--no-workspace", options.no_workspace, "Show no directory in the jar");
  app.add_flag("-d,--detach", options.detached, "Leave it once it runs: belljar attach comes back to it");
  app.add_flag("--rm", options.remove, "Delete the jar when the program has ended");
  app.add_option("-e,--env", options.variables, "NAME=VALUE, or NAME to pass the host's value")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("--allow-unguarded", options.allow_unguarded,
               "Start though the workspace is too large to be guarded as a whole");
  app.add_flag_callback(
      "--use-login", [&options] { options.use_login = true; },
      "Hand the host's login of the agent into the jar");
  app.add_flag_callback(
      "--no-login", [&options] { options.use_login = false; }, "Don't, and don't ask");
}

void Grammar::add_agents() {
  for (const auto& name : agents::profile_names()) {
    auto* agent = app_.add_subcommand(name, "Start " + name + ", unprompted, in a jar");
    agent->set_help_flag();  // --help is the agent's, too
    agent->group("Agents");
    agent->callback([this, name] {
      start_.agent = name;
      command_ = start_;
    });
  }
}

void Grammar::add_run() {
  auto* run =
      app_.add_subcommand("run", "Run any command in a jar: belljar run [OPTIONS] -- COMMAND [ARGUMENTS…]");
  run->footer("Example:\n  belljar run --allow api.example.com -- curl https://api.example.com/");
  add_start_options(*run, start_.options);
  run->callback([this] {
    if (start_.command.empty()) throw CLI::RequiredError("COMMAND");
    command_ = start_;
  });
  run->group("Agents");
}

}  // namespace belljar::cli
