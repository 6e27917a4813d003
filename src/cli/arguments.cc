#include "cli/arguments.h"

#include <algorithm>
#include <span>

#include "agents/profile.h"
#include "cli/grammar.h"

namespace belljar::cli {

namespace {

/// The command line cut in two: what is belljar's to read, and the words that belong to the program.
struct Cut {
  std::vector<std::string> own;
  std::string command;  ///< the first of these that is neither an option nor its value; or empty
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
      if (result.command.empty()) result.command = word;
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

}  // namespace

CommandOutline command_outline() { return Grammar().outline(); }

std::variant<Command, Usage> parse_arguments(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  auto parts = cut(words);
  auto parsed = Grammar(parts.command).parse(parts.own, parts.program);
  // A usage text is about all commands there are.
  return std::holds_alternative<Usage>(parsed) ? Grammar().parse(parts.own, parts.program) : parsed;
}

}  // namespace belljar::cli
