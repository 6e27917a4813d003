// `belljar AGENT` and `belljar run`: from the command line to a Plan, and what is told when it has ended.
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/home.h"
#include "agents/program.h"
#include "cli/agent_choice.h"
#include "cli/commands.h"
#include "cli/effective.h"
#include "cli/environment.h"
#include "cli/git_identity.h"
#include "cli/host_checks.h"
#include "cli/image_root.h"
#include "cli/life.h"
#include "cli/login.h"
#include "cli/removed_rules.h"
#include "cli/same_files.h"
#include "cli/saving.h"
#include "cli/workspace.h"
#include "jar/identity.h"
#include "jar/namespaces/writable_plan.h"
#include "jar/workspace/refusal.h"
#include "keeper/launch.h"
#include "keeper/removal.h"
#include "keeper/session.h"
#include "keeper/tell.h"
#include "keeper/worker.h"
#include "tls/authority.h"

namespace belljar::cli {

namespace {

/// Everything that a start gathers, in the order of gathering.
struct Gathered {
  Workspace workspace;
  std::optional<agents::Profile> profile;
  std::optional<keeper::TakenJar> jar;
  std::optional<keeper::FirstStart> first;  ///< goes before the jar's lock
  bool rules_were_there = false;            ///< before the jar was
  Effective effective;
  std::string home;  ///< of the jar, on the host
  Environment environment;
};

std::string user_name() {
  for (const char* variable : {"USER", "LOGNAME"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return "user";
}

Result<keeper::TakenJar> take_jar(const Start& command, const Workspace& workspace,
                                  const keeper::Directories& directories) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  keeper::JarRecord wanted{.name = command.options.jar, .workspace = workspace.root, .agent = command.agent};
  if (wanted.name.empty() && !workspace.root.empty()) {
    auto existing = TRY(jars.find_of_workspace(workspace.root));
    if (existing) wanted.name = existing->name;
    if (existing && !existing->others_of_workspace.empty())
      keeper::tell(
          fmt::format("this directory has several jars; this is the oldest, {} (others: {}; --jar NAME)",
                      existing->name, fmt::join(existing->others_of_workspace, ", ")));
  }
  if (wanted.name.empty())
    wanted.name = TRY(jars.choose_name(workspace.root.empty() ? "/jar" : workspace.root));
  auto taken = TRY(jars.take(wanted));
  if (taken.repaired)
    keeper::tell(fmt::format(
        "the record of jar '{}' was damaged (it is kept as {}/jar.json.damaged), and is made anew",
        wanted.name, taken.directory));
  return taken;
}

/// The directory behind the jar's $HOME, owned by who the jar's root is on the host.
Result<std::string> prepare_home(const std::string& jar_directory) {
  auto home = jar_directory + "/home";
  if (::mkdir(home.c_str(), 0700) < 0) {
    if (errno == EEXIST) return home;
    return Error::from_errno(errno, "mkdir " + home);
  }
  auto identity = TRY(jar::choose_identity());
  if (::chown(home.c_str(), identity.user, identity.group) < 0)
    return Error::from_errno(errno, "chown " + home);
  return home;
}

/// Whose they are can't be told: an earlier start may have handed them in, or the agent logged in by itself.
void tell_kept_logins(const Gathered& gathered) {
  for (const auto& file : gathered.profile->login_files) {
    struct stat info {};
    if (::lstat((gathered.home + "/" + file).c_str(), &info) == 0)
      keeper::tell(
          fmt::format("the jar has a login in ~/{} already, which stays; to be rid of it: belljar rm {}",
                      file, gathered.jar->record.name));
  }
}

Result<void> apply_login(const Start& command, const keeper::Directories& directories, Gathered& gathered) {
  auto found = find_login(*gathered.profile, directories.user_home);
  bool use = TRY(may_use_login(*gathered.profile, found, command.options.use_login, directories));
  if (use) TRY(hand_login(found, directories.user_home, gathered.home, gathered.environment));
  if (command.options.use_login == false) tell_kept_logins(gathered);
  return {};
}

/// What the user's own tools are told on the host and need in the jar: registries, and who commits.
Result<void> plant_tool_files(const keeper::Directories& directories, const Gathered& gathered) {
  std::vector<agents::Seed> seeds;
  auto identity = git_identity(directories);
  if (!identity.empty()) seeds.push_back({.path = ".gitconfig", .text = identity});
  const auto& registries = gathered.effective.registries;
  if (!registries.npmrc.empty()) seeds.push_back({.path = ".npmrc", .text = registries.npmrc});
  if (!registries.pip_conf.empty())
    seeds.push_back({.path = ".config/pip/pip.conf", .text = registries.pip_conf});
  return agents::plant_seeds(seeds, gathered.home, gathered.workspace.root, {});
}

Result<Environment> build_environment(const Start& command, const keeper::Directories& directories,
                                      const Gathered& gathered) {
  auto environment = base_environment(
      {.jar = gathered.jar->record.name, .home = directories.user_home, .user_name = user_name()});
  const auto& config = gathered.effective.config;
  if (gathered.profile)
    for (const auto& [name, value] : gathered.profile->environment)
      environment[name] = value;
  for (const auto& [name, value] : gathered.effective.endpoint)
    environment[name] = value;
  for (const auto& name : config.passed_variables)
    TRY(add_variable(environment, name));
  for (const auto& [name, value] : config.variables)
    environment[name] = value;
  for (const auto& assignment : command.options.variables)
    TRY(add_variable(environment, assignment));
  return environment;
}

/// The agent's program of the host, shown in the jar and linked into its PATH; or its installation as a
/// preparation.
Result<void> provide_program(const Gathered& gathered, keeper::Plan& plan) {
  const auto& profile = *gathered.profile;
  const char* path = std::getenv("PATH");
  auto program = agents::find_program(profile.command, path != nullptr ? path : "", gathered.workspace.root);
  if (program) {
    for (const auto& bind : program->binds)
      plan.spec.programs.push_back({bind});
    if (!agents::is_system_path(program->path))
      TRY(agents::link_in_home(gathered.home, ".local/bin/" + profile.command, program->path));
    if (!program->interpreter.empty())
      TRY(agents::link_in_home(
          gathered.home, ".local/bin/" + program->interpreter.substr(program->interpreter.rfind('/') + 1),
          program->interpreter));
    return {};
  }
  if (profile.npm_package.empty() ||
      ::access((gathered.home + "/.local/bin/" + profile.command).c_str(), F_OK) == 0)
    return {};
  if (!agents::find_program("npm", path != nullptr ? path : "", gathered.workspace.root))
    return Error(ErrorCode::not_found,
                 fmt::format("{} is not on this host, nor is npm to install it", profile.command))
        .with_hint(missing_npm());
  plan.preparations.push_back(
      {.what = fmt::format("installing {} into the jar (not on this host)", profile.npm_package),
       .request = npm_installation(profile.npm_package, plan.spec.home, to_list(gathered.environment))});
  return {};
}

/// The jar's system of an image, and the agent in it.
Result<void> use_image(const Gathered& gathered, keeper::Plan& plan) {
  const auto& config = gathered.effective.config;
  auto generation = TRY(make_image_root(plan.spec, config, plan.libexec_directory));
  if (!gathered.profile) return {};
  return provide_program_in_image({.profile = *gathered.profile,
                                   .home = gathered.home,
                                   .generation = std::move(generation),
                                   .image = config.image.value_or(""),
                                   .environment = to_list(gathered.environment)},
                                  plan);
}

Result<void> gather(const Start& command, const keeper::Directories& directories, Gathered& gathered) {
  if (!command.options.no_workspace)
    gathered.workspace = TRY(find_workspace(command.options.workspace, directories.user_home));
  if (!gathered.workspace.root.empty()) {  // before there is a jar for it
    auto places = TRY(own_places(directories));
    TRY(jar::check_workspace(gathered.workspace.root, {directories.user_home}, places));
  }
  if (!command.agent.empty()) gathered.profile = TRY(agents::load_profile(command.agent));
  gathered.jar.emplace(TRY(take_jar(command, gathered.workspace, directories)));
  gathered.first.emplace(directories.jars(), gathered.jar->record.name, gathered.jar->made);
  struct stat rules {};
  auto rules_file = jar_config_file(directories, gathered.jar->record.name);
  gathered.rules_were_there = gathered.jar->made && ::lstat(rules_file.path.c_str(), &rules) == 0;
  gathered.effective =
      TRY(load_effective(directories, {.jar = gathered.jar->record.name,
                                       .workspace = gathered.workspace.root,
                                       .profile = gathered.profile ? &*gathered.profile : nullptr,
                                       .options = &command.options,
                                       .may_ask = true}));
  gathered.home = TRY(prepare_home(gathered.jar->directory));
  gathered.environment = TRY(build_environment(command, directories, gathered));
  if (gathered.profile) {
    TRY(apply_login(command, directories, gathered));
    TRY(agents::plant_seeds(gathered.profile->seeds, gathered.home, gathered.workspace.root,
                            gathered.environment));
  }
  TRY(plant_tool_files(directories, gathered));
  return {};
}

Result<keeper::Plan> make_plan(const Start& command, const keeper::Directories& directories,
                               const Gathered& gathered) {
  keeper::Plan plan;
  plan.libexec_directory = TRY(keeper::find_libexec_directory());
  plan.ledger_directory = directories.ledger();
  plan.policy = gathered.effective.policy;
  const auto& limits = gathered.effective.config.limits;
  plan.spec = {.name = gathered.jar->record.name,
               .state_directory = gathered.jar->directory,
               .cache_directory = directories.cache,
               .workspace = gathered.workspace.root,
               .home = directories.user_home,
               .user_name = user_name(),
               .hidden = TRY(own_places(directories)),
               .limits = {.memory = limits.memory,
                          .cpus = limits.cpus,
                          .processes = limits.processes,
                          .wall = limits.wall,
                          .disk = limits.disk},
               .root = root_choice(gathered.effective.config),
               .roots_directory = directories.roots(),
               .allow_unguarded = gathered.effective.config.allow_unguarded};
  plan.request.environment = to_list(gathered.environment);
  plan.request.working_directory =
      gathered.workspace.root.empty() ? plan.spec.home : gathered.workspace.current;
  if (plan.spec.root == jar::RootChoice::image) {
    TRY(use_image(gathered, plan));
  } else if (gathered.profile) {
    TRY(provide_program(gathered, plan));
  }
  if (gathered.profile) {
    plan.request.arguments = {gathered.profile->command};
    const auto& own = gathered.profile->arguments;
    plan.request.arguments.insert(plan.request.arguments.end(), own.begin(), own.end());
  }
  plan.request.arguments.insert(plan.request.arguments.end(), command.command.begin(), command.command.end());
  return plan;
}

/// Here rather than in the keeper, so that the user hears what takes time. The keeper knows the authority's
/// name.
Result<jar::RootChoice> make_root(jar::JarSpec spec) {
  if (spec.root == jar::RootChoice::image) return spec.root;  // use_image() has made it
  spec.ca_subject_hash = tls::kAuthoritySubjectHash;
  spec.tell = [](const std::string& line) { keeper::tell(line); };
  auto prepared = TRY(jar::prepare_root(spec));
  if (!prepared.shortfall.empty()) {
    keeper::tell("the jar's system is read-only, nothing can be installed into it: " + prepared.shortfall);
    keeper::tell_more("try: " + prepared.hint);
  }
  return prepared.choice;
}

}  // namespace

Result<int> run_command(const Start& asked, const keeper::Directories& directories) {
  auto command = TRY(choose_agent(asked, directories));
  if (auto joined = TRY(join_running(command, directories))) return *joined;
  auto libexec = TRY(keeper::find_libexec_directory());
  Gathered gathered;  // outlives the keeper: no jar goes under one that is still at it
  auto keeper = TRY(keeper::LaunchedKeeper::launch(libexec));
  TRY(gather(command, directories, gathered));
  for (const auto& note : gathered.effective.notes)
    keeper::tell_lines(note);
  auto plan = TRY(make_plan(command, directories, gathered));
  plan.spec.root = TRY(make_root(plan.spec));
  auto relay = command.options.detached ? keeper::Relay::elsewhere(keeper::size_of_terminal(STDIN_FILENO))
                                        : TRY(keeper::Relay::create());
  plan.outlives_command = command.options.detached || relay.is_terminal_only();
  gathered.first->hand_over_lock();
  TRY(keeper.start(plan, gathered.jar->lock, relay));
  TRY(save_before_start(directories, *gathered.jar, gathered.effective.config.undo));
  gathered.first->keep();
  auto socket = TRY(keeper.proceed());
  auto end =
      keeper::run_session(std::move(socket), std::move(relay),
                          {.kind = keeper::SessionKind::starts_jar,
                           .may_detach = plan.outlives_command,
                           .leaves_when_started = command.options.detached,
                           .when_started = [&gathered] { return gathered.jar->settle(); },
                           .when_nothing_has_run = [&gathered] { gathered.first->nothing_has_run(); }});
  auto name = gathered.jar->record.name;
  if (end) tell_end(*end, name);
  if (command.options.remove && (!end || !end->detached)) {
    auto jars = TRY(keeper::Jars::open(directories.jars()));
    auto take_rules = [&]() -> Result<void> {
      if (!gathered.rules_were_there) (void)TRY(remove_rules(name, directories));
      return {};
    };
    TRY(jars.remove(name, take_rules));
  }
  if (!end) {
    if (auto words = keeper.last_words(); !words.empty()) return std::move(end).error().context(words);
    return std::move(end).error();
  }
  return end->exit_code;
}

}  // namespace belljar::cli
