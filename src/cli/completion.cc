// `belljar completion`: scripts for shells, made from the outline of the command line.
#include <functional>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/outline.h"

namespace belljar::cli {

namespace {

/// Between single quotes of a shell.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text)
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  return out + "'";
}

/// Between single quotes of fish.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

using Visit = std::function<void(const CommandOutline&, const std::string& path)>;

void each_command(const CommandOutline& top, const Visit& visit) {
  visit(top, top.name);
  for (const auto& command : top.commands) {
    visit(command, top.name + " " + command.name);
    for (const auto& below : command.commands)
      visit(below, top.name + " " + command.name + " " + below.name);
  }
}

std::string words_of(const CommandOutline& command) {
  std::string words;
  for (const auto& below : command.commands)
    words += below.name + " ";
  for (const auto& option : command.options)
    for (const auto& name : option.names)
      words += name + " ";
  if (!words.empty()) words.pop_back();
  return words;
}

bool is_agent(const CommandOutline& command) { return command.group == "Agents"; }

std::string agents_of(const CommandOutline& top) {
  std::string words;
  for (const auto& command : top.commands)
    if (is_agent(command) && command.name != "run") words += (words.empty() ? "" : " ") + command.name;
  return words;
}

/// Options that take a value, each once, as the patterns of a shell's `case`.
std::string with_value(const CommandOutline& top, const std::string& value) {
  std::string patterns;
  each_command(top, [&](const CommandOutline& command, const std::string&) {
    for (const auto& option : command.options)
      for (const auto& name : option.names)
        if (!option.value.empty() && (value.empty() || option.value == value) &&
            ("|" + patterns + "|").find("|" + name + "|") == std::string::npos)
          patterns += (patterns.empty() ? "" : "|") + name;
  });
  return patterns;
}

/// What bash and zsh share: the words that may come at the cursor. `at` is the command that the
/// words before it lead to (not `path`, which zsh takes for PATH).
std::string posix_function(const CommandOutline& top) {
  std::string tree, positionals;
  each_command(top, [&](const CommandOutline& command, const std::string& path) {
    tree += fmt::format("    {}) belljar_reply={} ;;\n", quoted(path), quoted(words_of(command)));
    for (const auto& positional : command.positionals) {
      if (positional.name == "JAR")
        positionals +=
            fmt::format("    {}) belljar_reply=\"$belljar_reply $(_belljar_jars)\" ;;\n", quoted(path));
      if (positional.name == "SHELL")
        positionals +=
            fmt::format("    {}) belljar_reply=\"$belljar_reply bash zsh fish\" ;;\n", quoted(path));
      if (positional.name == "NUMBER")
        positionals +=
            fmt::format("    {}) belljar_reply=\"$belljar_reply $(_belljar_proposals)\" ;;\n", quoted(path));
    }
  });
  auto agent_patterns = agents_of(top);
  for (char& c : agent_patterns)
    if (c == ' ') c = '|';
  return fmt::format(R"(_belljar_jars() {{ belljar ls --names 2>/dev/null; }}
_belljar_proposals() {{ belljar review ls 2>/dev/null | sed -n 's/^\([0-9][0-9]*\) .*/\1/p'; }}
# _belljar_words PREVIOUS WORD...: the words that may come after these (without the first, "belljar") in $belljar_reply.
# 1: any file may; 2: any directory may.
_belljar_words() {{
  local previous=$1 at=belljar skip= word
  shift
  belljar_reply=
  case $previous in
    {jar}) belljar_reply=$(_belljar_jars); return 0 ;;
    {agent}) belljar_reply={agents}; return 0 ;;
    {directory}) return 2 ;;
    {any}) return 0 ;;
  esac
  for word in "$@"; do
    if [ -n "$skip" ]; then skip=; continue; fi
    case $word in
      {any}) skip=yes ;;
      -*) ;;
      *)
        case " $(_belljar_commands "$at") " in *" $word "*) at="$at $word" ;; esac
        case $at in 'belljar run') ;; *) case $word in {agent_patterns}) [ "$at" = "belljar $word" ] && return 1 ;; esac ;; esac
        ;;
    esac
  done
  [ "$at" = 'belljar run' ] && [ "$previous" != run ] && case $previous in -*) ;; *) return 1 ;; esac
  case $at in
{tree}  esac
  case $at in
{positionals}  esac
  return 0
}}
_belljar_commands() {{
  case $1 in
{commands}  esac
}}
)",
                     fmt::arg("jar", with_value(top, "JAR")), fmt::arg("agent", with_value(top, "AGENT")),
                     fmt::arg("agents", quoted(agents_of(top))),
                     fmt::arg("directory", with_value(top, "DIR")), fmt::arg("any", with_value(top, "")),
                     fmt::arg("agent_patterns", agent_patterns), fmt::arg("tree", tree),
                     fmt::arg("positionals", positionals), fmt::arg("commands", [&] {
                       std::string lines;
                       each_command(top, [&](const CommandOutline& command, const std::string& path) {
                         std::string names;
                         for (const auto& below : command.commands)
                           names += (names.empty() ? "" : " ") + below.name;
                         if (!names.empty())
                           lines += fmt::format("    {}) echo {} ;;\n", quoted(path), quoted(names));
                       });
                       return lines;
                     }()));
}

std::string bash_script(const CommandOutline& top) {
  return "# bash completion of belljar: source <(belljar completion bash)\n" + posix_function(top) +
         R"(_belljar() {
  local belljar_reply code=0 current=${COMP_WORDS[COMP_CWORD]}
  _belljar_words "${COMP_WORDS[COMP_CWORD-1]}" "${COMP_WORDS[@]:1:COMP_CWORD-1}" || code=$?
  case $code in
    1) COMPREPLY=($(compgen -f -- "$current")) ;;
    2) COMPREPLY=($(compgen -d -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$belljar_reply" -- "$current")) ;;
  esac
}
complete -o filenames -F _belljar belljar
)";
}

std::string zsh_script(const CommandOutline& top) {
  return "#compdef belljar\n# zsh completion of belljar: source <(belljar completion zsh)\n" +
         posix_function(top) +
         R"(_belljar() {
  local -a given=("${words[@]:1:$((CURRENT-2))}")
  local before=${words[CURRENT-1]}
  () {
    local belljar_reply code=0
    _belljar_words "$before" "${given[@]}" || code=$?
    case $code in
      1) _files ;;
      2) _files -/ ;;
      *) compadd -- ${=belljar_reply} ;;
    esac
  }
}
compdef _belljar belljar
)";
}

std::string fish_script(const CommandOutline& top) {
  std::string script =
      "# fish completion of belljar: belljar completion fish > ~/.config/fish/completions/belljar.fish\n"
      "complete -c belljar -e\ncomplete -c belljar -f\n";
  auto add = [&](const std::string& condition, const CommandOutline& command, const std::string& not_yet) {
    for (const auto& below : command.commands)
      script += fmt::format("complete -c belljar -n {} -a {} -d {}\n", fish_quoted(not_yet), below.name,
                            fish_quoted(below.about));
    for (const auto& option : command.options) {
      script += fmt::format("complete -c belljar -n {}", fish_quoted(condition));
      for (const auto& name : option.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.value == "JAR")
        script += " -x -a '(belljar ls --names 2>/dev/null)'";
      else if (option.value == "AGENT")
        script += " -x -a " + fish_quoted(agents_of(top));
      else if (option.value == "DIR")
        script += " -x -a '(__fish_complete_directories)'";
      else if (!option.value.empty())
        script += " -x";
      script += " -d " + fish_quoted(option.about) + "\n";
    }
    for (const auto& positional : command.positionals) {
      if (positional.name == "JAR")
        script += fmt::format("complete -c belljar -n {} -a '(belljar ls --names 2>/dev/null)'\n",
                              fish_quoted(condition));
      if (positional.name == "SHELL")
        script += fmt::format("complete -c belljar -n {} -a 'bash zsh fish'\n", fish_quoted(condition));
    }
  };
  add("__fish_use_subcommand", top, "__fish_use_subcommand");
  for (const auto& command : top.commands) {
    auto seen = "__fish_seen_subcommand_from " + command.name;
    std::string names;
    for (const auto& below : command.commands)
      names += " " + below.name;
    if (is_agent(command) && command.name != "run")
      script += fmt::format("complete -c belljar -n {} -F\n", fish_quoted(seen));
    add(seen, command, seen + "; and not __fish_seen_subcommand_from" + names);
    for (const auto& below : command.commands)
      add(seen + "; and __fish_seen_subcommand_from " + below.name, below, "");
  }
  return script;
}

}  // namespace

std::string completion_script(const CommandOutline& top, const std::string& shell) {
  if (shell == "bash") return bash_script(top);
  if (shell == "zsh") return zsh_script(top);
  if (shell == "fish") return fish_script(top);
  return "";
}

Result<int> run_command(const Completion& command, const keeper::Directories&) {
  auto script = completion_script(command_outline(), command.shell);
  if (script.empty())
    return Error(ErrorCode::invalid_argument, fmt::format("there is no completion for '{}'", command.shell))
        .with_hint("belljar completion bash, zsh or fish");
  fmt::print("{}", script);
  return 0;
}

}  // namespace belljar::cli
