#include "cli/grammar_outline.h"

#include <CLI/CLI.hpp>

namespace belljar::cli {

// As deep as the grammar is: two commands below the top.
CommandOutline outline_of(const CLI::App& app) {
  CommandOutline outline{.name = app.get_name(),
                         .about = app.get_description(),
                         .group = app.get_group(),
                         .examples = app.get_footer(),
                         .options = {},
                         .positionals = {},
                         .commands = {}};
  for (const auto* option : app.get_options()) {
    if (option->get_positional()) {
      outline.positionals.push_back({.name = option->get_name(true),
                                     .about = option->get_description(),
                                     .required = option->get_required(),
                                     .many = option->get_items_expected_max() > 1});
      continue;
    }
    OptionOutline made{.names = {}, .value = {}, .about = option->get_description()};
    for (const auto& name : option->get_snames())
      made.names.push_back("-" + name);
    for (const auto& name : option->get_lnames())
      made.names.push_back("--" + name);
    if (option->get_items_expected_max() > 0)
      made.value = option->get_type_name().empty() ? "VALUE" : option->get_type_name();
    outline.options.push_back(std::move(made));
  }
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    outline.commands.push_back(outline_of(*command));
  return outline;
}

}  // namespace belljar::cli
