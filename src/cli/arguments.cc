#include "cli/arguments.h"

#include <algorithm>
#include <span>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "agents/profile.h"
#include "cli/grammar_outline.h"
#include "cli/usage.h"

namespace belljar::cli {

namespace {

constexpr int kUsageError = 125;  // as env(1) and container tools: belljar's own failure

constexpr const char* kAbout =
    "Runs AI coding agents unprompted in sealed jars: nothing leaves but what your policy allows.";
constexpr const char* kExamples =
    "Examples:\n"
    "  belljar claude                       Claude Code in a jar for this directory\n"
    "  cat main.go | belljar claude -p \"summarize this code\"\n"
    "  belljar run -- npm test              any command in the jar of this directory\n"
    "  belljar allow api.example.com        let the jar of this directory read from a host\n"
    "  belljar log --follow                 what left and what was stopped\n\n"
    "Exit codes: that of the program in the jar; 125 belljar itself failed, 126 the program can't be\n"
    "executed, 127 it was not found.";

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

/// The command line cut in two: what is belljar's to read, and the words that belong to the program.
struct Cut {
  std::vector<std::string> own;
  std::vector<std::string> program;
};

/// How many words an option at the front of `words` takes, itself included.
std::size_t option_length(std::span<const std::string> words) {
  static constexpr std::string_view kWithValue[] = {"--jar",    "--workspace", "-e",     "--env",  "--allow",
                                                    "--memory", "--cpus",      "--pids", "--wall", "--disk"};
  bool with_value =
      std::find(std::begin(kWithValue), std::end(kWithValue), words.front()) != std::end(kWithValue);
  return with_value && words.size() > 1 ? 2 : 1;
}

/// CLI11 would read options and "--" among the program's own words, so they are taken away first: everything
/// after an agent's name, and after `run` (after `exec` and the jar's name) everything from "--" (left out)
/// or the first word that is no option.
Cut cut(std::span<const std::string> words) {
  Cut result;
  bool after_run = false;
  bool names_jar = false;  // the next word is the jar of `exec`
  while (!words.empty()) {
    const auto& word = words.front();
    if (word.starts_with("-") && word != "--") {
      auto length = option_length(words);
      result.own.insert(result.own.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
      words = words.subspan(length);
    } else if (names_jar) {
      result.own.push_back(word);
      words = words.subspan(1);
      names_jar = false;
      after_run = true;
    } else if (after_run) {
      auto command = word == "--" ? words.subspan(1) : words;
      result.program.assign(command.begin(), command.end());
      return result;
    } else {
      result.own.push_back(word);
      words = words.subspan(1);
      after_run = word == "run";
      names_jar = word == "exec";
      if (after_run || names_jar) continue;
      auto& rest = agents::has_profile(word) ? result.program : result.own;
      rest.insert(rest.end(), words.begin(), words.end());
      return result;
    }
  }
  return result;
}

/// Builds the grammar; every callback sets `command`.
class Grammar {
 public:
  Grammar() : app_(kAbout, "belljar") {
    app_.footer(kExamples);
    app_.require_subcommand(0, 1);
    app_.set_help_flag("-h,--help", "Print this help and exit");
    add_start_options(app_, start_.options);
    add_agents();
    add_run();
    add_jars();
    add_life();
    add_undo();
    add_rules();
    add_policy();
    add_review();
    add_host();
  }

  [[nodiscard]] CommandOutline outline() const { return outline_of(app_); }

  std::variant<Command, Usage> parse(std::span<const std::string> words) {
    auto parts = cut(words);
    start_.command = exec_.command = std::move(parts.program);
    std::reverse(parts.own.begin(), parts.own.end());  // as CLI11 takes them
    try {                                              // the one place where its exceptions are caught
      app_.parse(parts.own);
    } catch (const CLI::ParseError& error) {
      std::ostringstream out;
      bool asked = app_.exit(error, out, out) == 0;
      return Usage{.text = asked ? out.str() : explain_usage(app_, error),
                   .exit_code = asked ? 0 : kUsageError};
    }
    if (app_.get_subcommands().empty()) {  // plain `belljar`
      start_.chosen_agent = true;
      command_ = start_;
    }
    return command_;
  }

 private:
  void add_agents() {
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

  void add_run() {
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

  void add_jars() {
    auto* list = app_.add_subcommand("ls", "List the jars");
    list->footer("Example:\n  belljar ls --json");
    list->add_flag("--json", list_.json, "Print JSON");
    list->add_flag("--names", list_.names, "Print the names alone, one a line");
    list->callback([this] { command_ = list_; });

    auto* processes = app_.add_subcommand("ps", "List the jars that run");
    processes->footer("Example:\n  belljar ps");
    processes->add_flag("--json", list_.json, "Print JSON");
    processes->callback([this] {
      list_.running = true;
      command_ = list_;
    });

    auto* remove = app_.add_subcommand(
        "rm", "Delete jars with all they hold: home, checkpoints, rules (the workspace stays)");
    remove->footer("Example:\n  belljar rm app");
    remove->add_option("JAR", remove_.jars, "Names")->required();
    remove->add_flag("-y,--yes,-f,--force", remove_.yes, "Don't ask, whatever is lost");
    remove->add_flag("--keep-rules", remove_.keep_rules,
                     "Leave what belljar allow, deny and review wrote for it");
    remove->add_flag("--json", remove_.json, "Print JSON");
    remove->callback([this] { command_ = remove_; });
    for (auto* command : {list, processes, remove})
      command->group("Jars");
  }

  void add_life() {
    auto* attach = app_.add_subcommand(
        "attach", "Show the terminal of a running jar's program; Ctrl-\\ d leaves it, and it goes on");
    attach->footer("Example:\n  belljar attach app");
    attach->add_option("JAR", attach_.jar, "Name (default: the jar of this directory)");
    attach->add_flag("--read-only", attach_.read_only, "Only look: keys and size are those of others");
    attach->add_flag("--take-over", attach_.take_over, "Detach all others first");
    attach->add_flag("--json", attach_.json, "Tell how it ended as JSON, on standard error");
    attach->callback([this] { command_ = attach_; });

    auto* exec =
        app_.add_subcommand("exec", "Run a further program in a running jar: belljar exec JAR -- COMMAND");
    exec->footer("Example:\n  belljar exec app -- git log -3");
    exec->add_option("JAR", exec_.jar, "Name")->required();
    exec->add_option("-e,--env", exec_.variables, "NAME=VALUE, or NAME to pass the host's value")
        ->allow_extra_args(false);
    exec->add_flag("--json", exec_.json, "Tell how it ended as JSON, on standard error");
    exec->callback([this] {
      if (exec_.command.empty()) throw CLI::RequiredError("COMMAND");
      command_ = exec_;
    });

    auto* stop = app_.add_subcommand("stop", "End a running jar: its program is asked, then killed");
    stop->footer("Example:\n  belljar stop app");
    stop->add_option("JAR", stop_.jar, "Name (default: the jar of this directory)");
    stop->add_option("--grace", stop_.grace, "Seconds that the program has to end")->capture_default_str();
    stop->add_flag("--json", stop_.json, "Print JSON");
    stop->callback([this] { command_ = stop_; });
    for (auto* command : {attach, exec, stop})
      command->group("Jars");
    add_supervision();
  }

  void add_supervision() {
    auto* start = app_.add_subcommand("start", "Start a jar's agent again, without a terminal of its own");
    start->footer("Example:\n  belljar start app");
    start->add_option("JAR", start_again_.jar, "Name (default: the jar of this directory)");
    start->add_flag("--json", start_again_.json, "Print JSON");
    start->callback([this] { command_ = start_again_; });

    for (bool still : {true, false}) {
      auto* hold = app_.add_subcommand(still ? "pause" : "resume",
                                       still ? "Hold all programs of a jar still" : "Let a paused jar go on");
      hold->footer(still ? "Example:\n  belljar pause app" : "Example:\n  belljar resume app");
      hold->add_option("JAR", hold_.jar, "Name (default: the jar of this directory)");
      hold->group("Jars");
      hold->add_flag("--json", hold_.json, "Print JSON");
      hold->callback([this, still] {
        hold_.still = still;
        command_ = hold_;
      });
    }

    auto* logs = app_.add_subcommand("logs", "Print what the terminal of a running jar has shown, as text");
    logs->footer("Example:\n  belljar logs app --follow");
    logs->add_option("JAR", logs_.jar, "Name (default: the jar of this directory)");
    logs->add_flag("--follow", logs_.follow, "Go on with what scrolls away, until the jar ends");
    logs->add_flag("--json", logs_.json, "Print JSON, one object for each piece of output");
    logs->callback([this] { command_ = logs_; });

    auto* rename = app_.add_subcommand("rename", "Give a jar that is not running another name");
    rename->footer("Example:\n  belljar rename app old-app");
    rename->add_option("JAR", rename_.jar, "Its name now")->required();
    rename->add_option("NAME", rename_.new_name, "Its new name")->required();
    rename->add_flag("--json", rename_.json, "Print JSON");
    rename->callback([this] { command_ = rename_; });

    auto* forward = app_.add_subcommand(
        "forward", "Let this host's loopback reach a server in a running jar, until interrupted");
    forward->footer("Example:\n  belljar forward app 8080:3000");
    forward->add_option("JAR", forward_.jar, "Name")->required();
    forward->add_option("PORTS", forward_.ports, "HOSTPORT:JARPORT, or one port for both")->required();
    forward->add_flag("--json", forward_.json, "Print JSON");
    forward->callback([this] { command_ = forward_; });
    for (auto* command : {start, logs, rename, forward})
      command->group("Jars");
  }

  void add_undo() {
    auto* undo =
        app_.add_subcommand("undo", "Make a workspace what it was before its jar's last start, or earlier");
    undo->footer(
        "Examples:\n  belljar undo                     show what would change, then ask\n"
        "  belljar undo app --list          what there is to go back to\n"
        "  belljar undo app --to 12 --path src/main.c\n\n"
        "What is there now is saved first, so that an undo can be undone. Exit code 1: you said no.");
    undo->add_option("JAR", undo_.jar, "Name of the jar (default: the one of this directory)");
    undo->add_flag("--list", undo_.list, "List the checkpoints; * is where an undo goes without --to");
    undo->add_flag("--json", undo_.json, "Print JSON; without --yes only what would change");
    undo->add_option("--to", undo_.to, "Number of a checkpoint");
    undo->add_option("--path", undo_.path, "Only this file or directory");
    undo->add_flag("--yes", undo_.yes, "Don't ask");
    undo->add_flag(
        "--workspace-only", undo_.workspace_only,
        "Leave a git directory outside of the workspace (of a linked worktree, a submodule) as it is");
    undo->add_flag("--discard", undo_.discard,
                   "Don't save what is there now (the disk is full), and remove also what can't be saved");
    undo->callback([this] { command_ = undo_; });

    auto* checkpoint =
        app_.add_subcommand("checkpoint", "Save a workspace as it is now, as every start does");
    checkpoint->footer("Example:\n  belljar checkpoint app");
    checkpoint->add_option("JAR", checkpoint_.jar, "Name of the jar (default: the one of this directory)");
    checkpoint->add_flag("--json", checkpoint_.json, "Print JSON");
    checkpoint->callback([this] { command_ = checkpoint_; });
    for (auto* command : {undo, checkpoint})
      command->group("Jars");
  }

  void add_rules() {
    for (bool allow : {true, false}) {
      auto* change = app_.add_subcommand(
          allow ? "allow" : "deny",
          allow ? "Let a jar reach a host" : "Keep a jar from a host, whatever else allows it");
      change->footer(
          allow ? "Examples:\n  belljar allow api.example.com\n"
                  "  belljar allow api.github.com --path '/repos/acme/app/**' --method GET --method POST"
                : "Example:\n  belljar deny telemetry.example.com");
      change->add_option("HOST", change_.host, "api.example.com, or *.example.com for every name below")
          ->required();
      change->add_option("--jar", change_.jar, "Name of the jar (default: the one of this directory)")
          ->type_name("JAR");
      change->add_flag("--every-jar", change_.every_jar, "For all jars of this user");
      change
          ->add_option("--method", change_.methods,
                       "HTTP method, may be repeated; * is any (default: GET and HEAD)")
          ->allow_extra_args(false);
      change->add_option("--path", change_.paths, "Path glob, may be repeated (default: any)")
          ->allow_extra_args(false);
      change->add_option("--port", change_.ports, "Port, may be repeated (default: 443)")
          ->allow_extra_args(false);
      change->add_flag("--http", change_.plain_http, "Plain HTTP instead of HTTPS");
      change->add_option("--reason", change_.reason, "Why, for whoever reads the policy later");
      change->add_flag("--remove", change_.take_back, "Take such a rule back instead");
      change->add_flag("--json", change_.json, "Print JSON");
      change->group("Policy");
      change->callback([this, allow] {
        change_.allow = allow;
        command_ = change_;
      });
    }
  }

  void add_policy() {
    auto* policy = app_.add_subcommand("policy", "Show and test what may leave a jar");
    policy->require_subcommand(1);
    policy->group("Policy");

    auto* show = policy->add_subcommand("show", "Print every rule with its reason and where it stands");
    show->footer(
        "Examples:\n  belljar policy show --agent claude\n  belljar policy show --origin --memory 2G");
    add_policy_options(*show, show_.options);
    show->add_flag("--origin", show_.origin,
                   "Print every setting, one a line, with the file and line it stands in");
    show->add_option("--agent", show_.agent, "Agent whose profile counts (default: the jar's)")
        ->type_name("AGENT");
    show->add_flag("--json", show_.json, "Print JSON");
    show->callback([this] { command_ = show_; });

    auto* test = policy->add_subcommand("test", "Say what would become of a request, and why");
    test->footer("Example:\n  belljar policy test GET https://api.example.com/v1/items");
    test->add_option("METHOD", test_.method, "HTTP method")->required();
    test->add_option("URL", test_.url, "URL")->required();
    add_policy_options(*test, test_.options);
    test->add_option("--agent", test_.agent, "Agent whose profile counts (default: the jar's)")
        ->type_name("AGENT");
    test->add_flag("--json", test_.json, "Print JSON");
    test->callback([this] { command_ = test_; });

    auto* check = policy->add_subcommand("check", "Look for rules that are too wide or can never count");
    check->footer("Example:\n  belljar policy check");
    check->add_option("--jar", check_.jar, "Name of the jar (default: the one of this directory)")
        ->type_name("JAR");
    check->add_flag("--json", check_.json, "Print JSON");
    check->callback([this] { command_ = check_; });
  }

  void add_review() {
    auto* review = app_.add_subcommand("review", "Show what waits for you, and decide");
    review->require_subcommand(0, 1);
    review->group("Policy");
    review->footer(
        "Examples:\n  belljar review\n  belljar review show 3\n"
        "  belljar review approve 3 --reason \"the project's own API\"");
    review->add_flag("--all", review_.all, "What is decided, too");
    review->add_flag("--json", review_.json, "Print JSON");
    review->callback([this] { command_ = review_; });
    auto add = [this, review](Review::Action action, const char* name, const char* about, bool takes_reason) {
      auto* chosen = review->add_subcommand(name, about);
      chosen->footer(
          fmt::format("Example:\n  belljar review {}{}", name, action == Review::Action::list ? "" : " 3"));
      chosen->add_flag("--json", review_.json, "Print JSON");
      if (action == Review::Action::list) chosen->add_flag("--all", review_.all, "What is decided, too");
      if (action != Review::Action::list) {
        auto* number =
            chosen->add_option("NUMBER", review_.numbers, "Which proposals, as belljar review lists them");
        number->required();
        if (action == Review::Action::show) number->expected(1);
      }
      if (takes_reason) chosen->add_option("--reason", review_.reason, "Why, for the record");
      chosen->callback([this, action] {
        review_.action = action;
        command_ = review_;
      });
    };
    add(Review::Action::list, "ls", "List the proposals", false);
    add(Review::Action::show, "show", "Show all of one proposal", false);
    add(Review::Action::approve, "approve",
        "Let exactly what a proposal says count, for its jar or directory", true);
    add(Review::Action::reject, "reject", "Don't; it isn't asked about again", true);
    add(Review::Action::always, "always", "Approve a request for every jar of yours", true);
  }

  void add_host() {
    auto* log = app_.add_subcommand("log", "Show the ledger: what left, what was stopped, and why");
    log->footer("Examples:\n  belljar log app --follow\n  belljar log --verify");
    log->add_option("JAR", log_.jar, "Only this jar");
    log->add_flag("--json", log_.json, "Print one JSON object a line");
    log->add_flag("--follow", log_.follow, "Go on printing what is added");
    log->add_flag("--verify", log_.verify, "Check the hash chain of the whole ledger");
    log->add_option("--limit", log_.limit, "How many of the last events")->capture_default_str();
    log->callback([this] { command_ = log_; });

    auto* doctor =
        app_.add_subcommand("doctor", "Check what works on this host and name what mends the rest");
    doctor->footer("Example:\n  belljar doctor");
    doctor
        ->add_option(
            "--root", doctor_.root,
            "Judge what a copy of another host's /proc, /sys, /etc and /lib/modules in DIR says of it; "
            "start nothing")
        ->type_name("DIR");
    doctor->add_flag("--json", doctor_.json, "Print JSON");
    doctor->callback([this] { command_ = doctor_; });

    auto* completion = app_.add_subcommand("completion", "Print a shell's completion script");
    completion->footer(
        "Examples:\n  source <(belljar completion bash)\n"
        "  belljar completion fish > ~/.config/fish/completions/belljar.fish");
    completion->add_option("SHELL", completion_.shell, "bash, zsh or fish")->required();
    completion->callback([this] { command_ = completion_; });

    auto* manual = app_.add_subcommand("manual", "Write the manual pages");
    manual->footer("Example:\n  belljar manual ~/.local/share/man/man1");
    manual->add_option("DIR", manual_.directory, "Where to; made when absent")->required();
    manual->callback([this] { command_ = manual_; });

    auto* version = app_.add_subcommand("version", "Print the version");
    version->footer("Example:\n  belljar version --json");
    version->add_flag("--json", version_.json, "Print JSON");
    version->callback([this] { command_ = version_; });
    for (auto* command : {log, doctor, completion, manual, version})
      command->group("Host");
  }

  CLI::App app_;
  Command command_;
  Start start_;
  List list_;
  Remove remove_;
  Attach attach_;
  Exec exec_;
  Stop stop_;
  StartAgain start_again_;
  Hold hold_;
  Logs logs_;
  Rename rename_;
  Forward forward_;
  Checkpoint checkpoint_;
  Undo undo_;
  ChangeRule change_;
  PolicyShow show_;
  PolicyTest test_;
  PolicyCheck check_;
  Review review_;
  Log log_;
  Doctor doctor_;
  Completion completion_;
  Manual manual_;
  Version version_;
};

}  // namespace

CommandOutline command_outline() { return Grammar().outline(); }

std::variant<Command, Usage> parse_arguments(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  return Grammar().parse(words);
}

}  // namespace belljar::cli
