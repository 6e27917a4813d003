// `belljar manual` and the pages in man(7), made from the outline of the command line.
#include <algorithm>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/outline.h"
#include "os/fd.h"

namespace belljar::cli {

namespace {

/// The UTF-8 character at the start of `text`, which is our own and right, as roff names it; takes it away.
std::string take_character(std::string_view& text) {
  auto first = static_cast<unsigned char>(text.front());
  std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  unsigned point = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i)
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  text.remove_prefix(std::min(length, text.size()));
  return fmt::format("\\[u{:04X}]", point);
}

/// Text as it is: what roff reads as its own is escaped.
std::string escaped(std::string_view text) {
  std::string out;
  bool at_start = true;
  while (!text.empty()) {
    char c = text.front();
    if ((static_cast<unsigned char>(c) & 0x80U) != 0) {
      out += take_character(text);
      at_start = false;
      continue;
    }
    text.remove_prefix(1);
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    at_start = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else
      out += c;
  }
  return out;
}

/// A section header's argument.
std::string title(std::string_view text) { return fmt::format(".SH \"{}\"\n", text); }

std::string synopsis_of(const CommandOutline& command, const std::string& path) {
  auto text = fmt::format(".B {}\n", escaped(path));
  std::string rest;
  if (!command.options.empty()) rest += "[OPTIONS]";
  for (const auto& positional : command.positionals) {
    auto name = positional.name + (positional.many ? " ..." : "");
    rest += (rest.empty() ? "" : " ") + (positional.required ? name : "[" + name + "]");
  }
  if (!command.commands.empty()) rest += rest.empty() ? "COMMAND" : " COMMAND";
  return text + (rest.empty() ? "" : escaped(rest) + "\n");
}

std::string entry_of(const OptionOutline& option) {
  std::string names;
  for (const auto& name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  if (!option.value.empty()) names += " \\fI" + escaped(option.value) + "\\fR";
  return fmt::format(".TP\n{}\n{}\n", names, escaped(option.about));
}

std::string options_of(const CommandOutline& command) {
  std::string text;
  for (const auto& positional : command.positionals)
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", escaped(positional.name), escaped(positional.about));
  for (const auto& option : command.options)
    text += entry_of(option);
  return text;
}

/// "Examples:\n  belljar …" without its header; what follows an empty line is prose.
std::string examples_of(const CommandOutline& command) {
  auto text = command.examples;
  auto start = text.find('\n');
  if (start == std::string::npos) return "";
  text = text.substr(start + 1);
  std::string prose;
  if (auto gap = text.find("\n\n"); gap != std::string::npos) {
    prose = text.substr(gap + 2);
    text.resize(gap);
  }
  auto page = title("EXAMPLES") + ".nf\n" + escaped(text) + "\n.fi\n";
  if (!prose.empty()) page += title("EXIT STATUS") + escaped(prose) + "\n";
  return page;
}

std::string name_of(const std::string& path) {
  auto name = path;
  for (char& c : name)
    if (c == ' ') c = '-';
  return name;
}

std::string header_of(const std::string& path, const std::string& about, const std::string& version) {
  std::string upper = name_of(path);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return fmt::format(".TH \"{}\" 1 \"\" \"belljar {}\" \"User Commands\"\n", escaped(upper), version) +
         title("NAME") + fmt::format("{} \\- {}\n", escaped(name_of(path)), escaped(about)) +
         title("SYNOPSIS");
}

constexpr const char* kFiles =
    ".TP\n\\fI~/.config/belljar/config.toml\\fR\nThe configuration of every jar.\n"
    ".TP\n\\fI~/.config/belljar/jars/NAME.toml\\fR\nThe rules of one jar.\n"
    ".TP\n\\fIbelljar.toml\\fR\nWhat a repository suggests; it counts after \\fBbelljar review approve\\fR.\n"
    ".TP\n\\fI~/.local/state/belljar\\fR\nThe jars, the ledger and the review queue.\n";

ManualPage top_page(const CommandOutline& top, const std::string& version) {
  auto text = header_of(top.name, top.about, version) + synopsis_of(top, top.name);
  text += title("DESCRIPTION") + escaped(top.about) + "\n" + title("COMMANDS");
  std::string group;
  for (const auto& command : top.commands) {
    if (command.group != group) text += fmt::format(".SS \"{}\"\n", escaped(group = command.group));
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(command.name), escaped(command.about));
  }
  text += title("OPTIONS") + options_of(top) + examples_of(top) + title("FILES") + kFiles;
  text += title("SEE ALSO");
  std::string list;
  for (const auto& command : top.commands)
    list +=
        fmt::format("{}.BR {}\\-{} (1)", list.empty() ? "" : ",\n", escaped(top.name), escaped(command.name));
  return {.name = top.name, .text = text + list + "\n"};
}

ManualPage command_page(const CommandOutline& command, const std::string& path, const std::string& version) {
  auto text = header_of(path, command.about, version) + synopsis_of(command, path);
  for (const auto& below : command.commands)
    text += ".br\n" + synopsis_of(below, path + " " + below.name);
  text += title("DESCRIPTION") + escaped(command.about) + ".\n";
  if (auto options = options_of(command); !options.empty()) text += title("OPTIONS") + options;
  for (const auto& below : command.commands)
    text += fmt::format(".SH \"{}\"\n", escaped(path + " " + below.name)) + escaped(below.about) + ".\n" +
            options_of(below);
  text += examples_of(command) + title("SEE ALSO") + ".BR belljar (1)\n";
  return {.name = name_of(path), .text = std::move(text)};
}

}  // namespace

std::vector<ManualPage> manual_pages(const CommandOutline& top, const std::string& version) {
  std::vector<ManualPage> pages = {top_page(top, version)};
  for (const auto& command : top.commands)
    pages.push_back(command_page(command, top.name + " " + command.name, version));
  return pages;
}

Result<int> run_command(const Manual& command, const keeper::Directories&) {
  TRY(os::create_directories(command.directory, 0755));
  for (const auto& page : manual_pages(command_outline(), BELLJAR_VERSION))
    TRY(os::replace_file(command.directory + "/" + page.name + ".1", page.text, 0644));
  return 0;
}

}  // namespace belljar::cli
