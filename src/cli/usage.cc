#include "cli/usage.h"

#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "config/table_reader.h"
#include "ledger/printable.h"

namespace belljar::cli {

namespace {

/// The command that the words had led to when they were no longer understood: "belljar policy show".
const CLI::App& reached(const CLI::App& app, std::string& name) {
  const auto* at = &app;
  name = app.get_name();
  while (!at->get_subcommands().empty()) {
    const auto* next = at->get_subcommands().front();
    // What stands before an agent's name is belljar's, and its --help is the agent's own.
    if (next->get_group() == "Agents" && next->get_help_ptr() == nullptr) break;
    at = next;
    name += " " + at->get_name();
  }
  return *at;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// What CLI11 has to say, in words that name the command and what it takes.
std::string reworded(const CLI::App& at, const std::string& name, const CLI::ParseError& error) {
  std::string what = error.what();
  constexpr std::string_view kConvert = "Could not convert: ";
  if (auto equals = what.find(" = "); what.starts_with(kConvert) && equals != std::string::npos)
    return fmt::format("{}: {} can't be '{}'", name, what.substr(kConvert.size(), equals - kConvert.size()),
                       what.substr(equals + 3));
  if (auto colon = what.find(": 1 required"); colon != std::string::npos)
    return fmt::format("{}: {} needs a value", name, what.substr(0, colon));
  if (what == "A subcommand is required")
    return fmt::format("{} needs one of: {}", name, fmt::join(command_names(at), ", "));
  return fmt::format("{}: {}", name, what);
}

}  // namespace

std::string explain_usage(const CLI::App& app, const CLI::ParseError& error) {
  std::string name;
  const auto& at = reached(app, name);
  auto what = reworded(at, name, error);
  auto extra = app.remaining(true);
  if (!extra.empty() && extra.front() != "--") {
    const auto& word = extra.front();
    bool is_option = word.starts_with("-");
    if (is_option || !command_names(at).empty())
      what = fmt::format("{} has no {} '{}'", name, is_option ? "option" : "command", word);
    else
      what = fmt::format("{} does not take '{}'", name, word);
    if (auto meant = config::nearest(word, is_option ? option_names(at) : command_names(at)))
      what += fmt::format("; did you mean '{}'?", *meant);
  }
  return fmt::format("belljar: {}\n         try: {} --help\n", ledger::make_printable(what, 1024), name);
}

}  // namespace belljar::cli
