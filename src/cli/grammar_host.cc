// Commands on this host and on belljar itself.
#include "cli/grammar.h"

namespace belljar::cli {

void Grammar::add_host() {
  auto* log = app_.add_subcommand("log", "Show the ledger: what left, what was stopped, and why");
  log->footer("Examples:\n  belljar log app --follow\n  belljar log --verify");
  log->add_option("JAR", log_.jar, "Only this jar");
  log->add_flag("--json", log_.json, "Print one JSON object a line");
  log->add_flag("--follow", log_.follow, "Go on printing what is added");
  log->add_flag("--verify", log_.verify, "Check the hash chain of the whole ledger");
  log->add_option("--limit", log_.limit, "How many of the last events")->capture_default_str();
  log->callback([this] { command_ = log_; });

  auto* doctor = app_.add_subcommand("doctor", "Check what works on this host and name what mends the rest");
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

}  // namespace belljar::cli
