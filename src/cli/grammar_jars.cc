// Commands on jars and their workspaces.
#include "cli/grammar.h"

namespace belljar::cli {

void Grammar::add_jars() {
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

void Grammar::add_life() {
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
}

void Grammar::add_supervision() {
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

void Grammar::add_undo() {
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

  auto* checkpoint = app_.add_subcommand("checkpoint", "Save a workspace as it is now, as every start does");
  checkpoint->footer("Example:\n  belljar checkpoint app");
  checkpoint->add_option("JAR", checkpoint_.jar, "Name of the jar (default: the one of this directory)");
  checkpoint->add_flag("--json", checkpoint_.json, "Print JSON");
  checkpoint->callback([this] { command_ = checkpoint_; });
  for (auto* command : {undo, checkpoint})
    command->group("Jars");
}

}  // namespace belljar::cli
