// Grammar: belljar's command line in CLI11's terms. One room of commands a file: grammar_start.cc,
// grammar_jars.cc, grammar_policy.cc, grammar_host.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/arguments.h"
#include "cli/outline.h"

namespace belljar::cli {

class Grammar {
 public:
  /// The whole of it.
  Grammar();
  /// Only what this command line needs, named by the command in it: building all of it takes a tenth of what
  /// a start takes.
  explicit Grammar(std::string_view command);

  [[nodiscard]] CommandOutline outline() const;

  /// `own` are belljar's words, `program` those of the program to start.
  std::variant<Command, Usage> parse(std::vector<std::string> own, const std::vector<std::string>& program);

 private:
  struct Empty {};
  explicit Grammar(Empty);

  /// Every one of these adds commands whose callbacks set `command_`.
  struct Room;
  static const std::vector<Room>& rooms();
  void add_agents();
  void add_run();
  void add_jars();
  void add_life();
  void add_supervision();
  void add_undo();
  void add_rules();
  void add_policy();
  void add_review();
  void add_host();

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

/// What of a start `policy show` and `policy test` take into account, too.
void add_policy_options(CLI::App& app, StartOptions& options);
void add_start_options(CLI::App& app, StartOptions& options);

}  // namespace belljar::cli
