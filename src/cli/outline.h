// Outline: the grammar of the command line as values. --help, the manual pages and the shells' completion are
// all made from the one grammar in grammar.h.
#pragma once

#include <string>
#include <vector>

namespace belljar::cli {

struct OptionOutline {
  std::vector<std::string> names;  ///< "-e", "--env"
  std::string value;               ///< "JAR", "DIR", "HOST" …: what it takes; empty: nothing
  std::string about;
};

struct PositionalOutline {
  std::string name;  ///< "JAR"
  std::string about;
  bool required = false;
  bool many = false;
};

struct CommandOutline {
  std::string name;  ///< the last word
  std::string about;
  std::string group;     ///< "Agents", "Jars" …; of the top command empty
  std::string examples;  ///< as --help ends
  std::vector<OptionOutline> options;
  std::vector<PositionalOutline> positionals;
  std::vector<CommandOutline> commands;
};

/// Of the whole command line.
CommandOutline command_outline();

/// The script that completes command lines in this shell: "bash", "zsh" or "fish"; empty for any other.
std::string completion_script(const CommandOutline& top, const std::string& shell);

/// A page of the manual in man(7).
struct ManualPage {
  std::string name;  ///< "belljar-policy"
  std::string text;
};
/// One for belljar and one for each of its commands.
std::vector<ManualPage> manual_pages(const CommandOutline& top, const std::string& version);

}  // namespace belljar::cli
