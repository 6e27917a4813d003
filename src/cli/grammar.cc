#include "cli/grammar.h"

#include <algorithm>
#include <sstream>

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

}  // namespace

struct Grammar::Room {
  std::vector<std::string> commands;
  void (Grammar::*add)();
};

/// In the order of --help.
const std::vector<Grammar::Room>& Grammar::rooms() {
  static const std::vector<Room> kRooms = {
      {agents::profile_names(), &Grammar::add_agents},
      {{"run"}, &Grammar::add_run},
      {{"ls", "ps", "rm"}, &Grammar::add_jars},
      {{"attach", "exec", "stop"}, &Grammar::add_life},
      {{"start", "pause", "resume", "logs", "rename", "forward"}, &Grammar::add_supervision},
      {{"undo", "checkpoint"}, &Grammar::add_undo},
      {{"allow", "deny"}, &Grammar::add_rules},
      {{"policy"}, &Grammar::add_policy},
      {{"review"}, &Grammar::add_review},
      {{"log", "doctor", "completion", "manual", "version"}, &Grammar::add_host},
  };
  return kRooms;
}

Grammar::Grammar(Empty) : app_(kAbout, "belljar") {
  app_.footer(kExamples);
  app_.require_subcommand(0, 1);
  app_.set_help_flag("-h,--help", "Print this help and exit");
  add_start_options(app_, start_.options);
}

Grammar::Grammar() : Grammar(Empty()) {
  for (const auto& room : rooms())
    (this->*room.add)();
}

Grammar::Grammar(std::string_view command) : Grammar(Empty()) {
  for (const auto& room : rooms())
    if (std::find(room.commands.begin(), room.commands.end(), command) != room.commands.end())
      (this->*room.add)();
  // Those of the same room go again: a jar may be called as they are.
  for (auto* other : app_.get_subcommands([command](CLI::App* app) { return app->get_name() != command; }))
    app_.remove_subcommand(other);
}

CommandOutline Grammar::outline() const { return outline_of(app_); }

std::variant<Command, Usage> Grammar::parse(std::vector<std::string> own,
                                            const std::vector<std::string>& program) {
  start_.command = exec_.command = program;
  std::reverse(own.begin(), own.end());  // as CLI11 takes them
  try {                                  // the one place where its exceptions are caught
    app_.parse(own);
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

}  // namespace belljar::cli
