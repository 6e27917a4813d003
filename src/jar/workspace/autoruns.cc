#include "jar/workspace/autoruns.h"

#include <algorithm>
#include <iterator>

namespace belljar::jar {

namespace {

struct Rule {
  std::string_view what;
  std::string_view why;
};

/// Files by name, in any directory.
constexpr Rule kFiles[] = {
    {"belljar.toml",
     "a suggestion to belljar, which counts for nothing until you approve it (belljar review)"},
    {".envrc", "direnv runs it when a shell enters the directory"},
    {".mcp.json", "agents start the servers that it names"},
    {".pre-commit-config.yaml", "pre-commit runs its hooks at a commit"},
    {"lefthook.yml", "lefthook runs its commands at a commit"},
    {"lefthook.yaml", "lefthook runs its commands at a commit"},
    {".npmrc", "npm takes settings from it, among them where packages and scripts' shells come from"},
    {".yarnrc", "yarn runs the program that yarn-path names"},
    {".yarnrc.yml", "yarn runs the program that yarnPath names"},
    {".pnpmfile.cjs", "pnpm runs it at every install"},
    {"pip.conf", "pip takes settings from it"},
    {".tool-versions", "asdf and mise choose and install tools by it"},
    {".mise.toml", "mise runs its hooks and sets the environment when a shell enters"},
    {"mise.toml", "mise runs its hooks and sets the environment when a shell enters"},
    {"conftest.py", "pytest, and editors that look for tests, run it"},
    {"sitecustomize.py", "python runs it at its start when the directory is on its path"},
    {"usercustomize.py", "python runs it at its start when the directory is on its path"},
    {".gdbinit", "gdb may run it at its start"},
    {".lldbinit", "lldb may run it at its start"},
    {".exrc", "vi may run it at its start"},
    {".vimrc", "vim may run it at its start"},
    {".nvim.lua", "neovim may run it at its start"},
    {".dir-locals.el", "emacs evaluates it when a file beside it is opened"},
    {".bazelrc", "bazel takes settings from it"},
    {".zshenv", "zsh runs it at its start when ZDOTDIR is here"},
    {".zshrc", "zsh runs it at its start when ZDOTDIR is here"},
    {".bashrc", "bash may run it"},
    {".bash_profile", "bash may run it"},
    {".profile", "shells may run it"},
    {".cursorrules", "Cursor's agent follows it"},
    {".clinerules", "Cline follows it"},
    {".windsurfrules", "Windsurf's agent follows it"},
    {".goosehints", "goose follows it"},
    {".aider.conf.yml", "aider takes settings and commands from it"},
    {".crush.json", "crush starts the servers that it names"},
    {"crush.json", "crush starts the servers that it names"},
    {"opencode.json", "opencode starts the servers that it names"},
    {"CLAUDE.md", "the next agent follows it"},
    {"CLAUDE.local.md", "the next agent follows it"},
    {"AGENTS.md", "the next agent follows it"},
    {"GEMINI.md", "the next agent follows it"},
    {".gitlab-ci.yml", "GitLab runs it after a push"},
    {"Jenkinsfile", "Jenkins runs it after a push"},
    {"azure-pipelines.yml", "Azure runs it after a push"},
    {".travis.yml", "Travis runs it after a push"},
    {".devcontainer.json", "editors run its commands when the folder is opened in a container"},
};

/// Endings of names.
constexpr Rule kEndings[] = {
    {".code-workspace", "VS Code takes settings and tasks from it"},
    {".sublime-project", "Sublime Text takes settings and build systems from it"},
};

/// What lies in directories of these names, anywhere.
constexpr Rule kDirectories[] = {
    {".vscode", "VS Code runs its tasks and programs that its settings name when the folder is opened"},
    {".idea", "JetBrains editors take run configurations and tools from it"},
    {".run", "JetBrains editors take run configurations from it"},
    {".devcontainer", "editors run its commands when the folder is opened in a container"},
    {".claude", "Claude Code takes settings, hooks, commands and skills from it"},
    {".codex", "Codex takes settings and servers from it"},
    {".cursor", "Cursor takes settings, rules and servers from it"},
    {".gemini", "Gemini CLI takes settings and servers from it"},
    {".opencode", "opencode takes settings, plugins and agents from it"},
    {".windsurf", "Windsurf takes settings and rules from it"},
    {".continue", "Continue takes settings and servers from it"},
    {".roo", "Roo takes rules and servers from it"},
    {".kiro", "Kiro takes hooks and servers from it"},
    {".zed", "Zed takes settings and tasks from it"},
    {".fleet", "Fleet takes settings and tasks from it"},
    {".husky", "husky runs it as git hooks"},
    {".githooks", "git runs it where core.hooksPath names it"},
    {".circleci", "CircleCI runs it after a push"},
};

/// Paths of two parts.
constexpr Rule kPairs[] = {
    {".github/workflows", "GitHub runs it after a push"},
    {".github/actions", "workflows run it after a push"},
    {".github/copilot-instructions.md", "Copilot follows it"},
    {".config/mise", "mise runs its hooks and sets the environment when a shell enters"},
    {".yarn/releases", "yarn runs it when .yarnrc.yml names it"},
    {".yarn/plugins", "yarn runs it when .yarnrc.yml names it"},
    {".cargo/config.toml", "cargo runs the programs that it names"},
    {".cargo/config", "cargo runs the programs that it names"},
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Whether `part` (one or two components) is in the path as whole components.
bool has_part(std::string_view path, std::string_view part) {
  for (auto at = path.find(part); at != std::string_view::npos; at = path.find(part, at + 1)) {
    bool starts = at == 0 || path[at - 1] == '/';
    bool ends = at + part.size() == path.size() || path[at + part.size()] == '/';
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace

std::string_view autorun(std::string_view path) {
  auto slash = path.rfind('/');
  auto name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (const auto& rule : kFiles)
    if (name == rule.what) return rule.why;
  for (const auto& rule : kEndings)
    if (ends_with(name, rule.what)) return rule.why;
  for (const auto& rule : kPairs)
    if (has_part(path, rule.what)) return rule.why;
  if (slash == std::string_view::npos) return {};
  for (const auto& rule : kDirectories)
    if (has_part(path.substr(0, slash), rule.what)) return rule.why;
  return {};
}

bool is_autorun_directory(std::string_view name) {
  if (name == ".github" || name == ".cargo" || name == ".yarn" || name == "workflows" || name == "actions")
    return true;
  return std::any_of(std::begin(kDirectories), std::end(kDirectories),
                     [&](const Rule& rule) { return rule.what == name; });
}

bool is_dependency(std::string_view path) {
  for (std::string_view tree : {"node_modules", "site-packages", ".venv", "venv", "vendor/bundle"})
    if (has_part(path, tree)) return true;
  return false;
}

}  // namespace belljar::jar
