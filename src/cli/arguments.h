// Arguments: what a command line asks for. CLI11 is confined to grammar*.cc, usage.cc and
// grammar_outline.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace belljar::cli {

/// How a jar is started, by an agent's name or by `run`.
struct StartOptions {
  std::string jar;        ///< empty: the one of the workspace, or a new one
  std::string workspace;  ///< empty: the repository around the current directory, or that directory
  bool no_workspace = false;
  bool detached = false;               ///< leave it once it runs
  bool remove = false;                 ///< delete the jar at the end
  std::vector<std::string> variables;  ///< NAME or NAME=VALUE
  std::vector<std::string> allow;      ///< HOST or HOST:PORT, for this start only
  std::optional<bool> use_login;       ///< hand the host's login of the agent into the jar
  std::string memory;                  ///< a size as in the configuration; empty: not given
  std::optional<double> cpus;
  std::optional<std::uint64_t> processes;
  std::string wall;
  std::string disk;
  bool allow_unguarded = false;  ///< start in a workspace that can't be guarded as a whole
};

struct Start {
  StartOptions options;
  bool chosen_agent = false;         ///< no agent was named: the configuration's, else the jar's
  std::string agent;                 ///< empty: `run`
  std::vector<std::string> command;  ///< the agent's arguments, or the whole command
};

struct List {
  bool json = false;
  bool names = false;    ///< alone, one a line
  bool running = false;  ///< only those
};
struct Remove {
  std::vector<std::string> jars;
  bool json = false;
  bool yes = false;         ///< don't ask
  bool keep_rules = false;  ///< leave jars/NAME.toml of the configuration
};

/// A running jar's; an empty `jar` means that of this directory.
struct Attach {
  std::string jar;
  bool read_only = false;
  bool take_over = false;
  bool json = false;
};
/// `exec` and `shell`.
struct Exec {
  std::string jar;
  std::vector<std::string> variables;  ///< NAME or NAME=VALUE
  std::vector<std::string> command;    ///< empty: a shell
  bool json = false;
};
struct Stop {
  std::string jar;
  std::uint32_t grace = 10;  ///< seconds
  bool json = false;
};
/// `start`: a jar's agent, without a terminal of its own.
struct StartAgain {
  std::string jar;
  bool json = false;
};
/// `pause` and `resume`.
struct Hold {
  std::string jar;
  bool still = true;
  bool json = false;
};
struct Logs {
  std::string jar;
  bool follow = false;
  bool json = false;
};
struct Rename {
  std::string jar;
  std::string new_name;
  bool json = false;
};
struct Forward {
  std::string jar;
  std::string ports;  ///< HOSTPORT:JARPORT, or one port for both
  bool json = false;
};
struct Checkpoint {
  std::string jar;  ///< empty: the jar of this directory
  bool json = false;
};
struct Undo {
  std::string jar;       ///< empty: the jar of this directory
  std::uint64_t to = 0;  ///< number of a checkpoint; 0: the one of the last start
  std::string path;      ///< only this; empty: the whole workspace
  bool list = false;
  bool json = false;
  bool yes = false;
  bool discard = false;         ///< don't save first what is there now
  bool workspace_only = false;  ///< leave a git directory outside of the workspace as it is
};

/// `allow` and `deny`.
struct ChangeRule {
  bool allow = true;
  bool take_back = false;  ///< --remove: delete the rule instead
  std::string host;
  std::string jar;  ///< empty: the jar of this directory; "*": every jar
  bool every_jar = false;
  std::vector<std::string> methods;
  std::vector<std::string> paths;
  std::vector<std::uint16_t> ports;
  bool plain_http = false;
  std::string reason;
  bool json = false;
};

struct PolicyShow {
  std::string agent;
  StartOptions options;  ///< the jar, and what a start with these options would change
  bool origin = false;   ///< every setting, one a line, with where it stands
  bool json = false;
};
struct PolicyTest {
  std::string agent;
  StartOptions options;
  std::string method;
  std::string url;
  bool json = false;
};
struct PolicyCheck {
  std::string jar;
  bool json = false;
};
/// `review`: what waits for a person.
struct Review {
  enum class Action : std::uint8_t { list, show, approve, reject, always };
  Action action = Action::list;
  std::vector<std::uint64_t> numbers;
  std::string reason;
  bool all = false;  ///< list what is decided, too
  bool json = false;
};
struct Log {
  std::string jar;
  bool json = false;
  bool verify = false;
  bool follow = false;
  std::uint64_t limit = 50;
};
struct Doctor {
  std::string root;  ///< of a copy of another host's files; empty: this host
  bool json = false;
};
/// `completion`: a shell's script.
struct Completion {
  std::string shell;
};
/// `manual`: the pages, written into a directory.
struct Manual {
  std::string directory;
};
struct Version {
  bool json = false;
};

using Command = std::variant<Start, List, Remove, Attach, Exec, Stop, StartAgain, Hold, Logs, Rename, Forward,
                             Checkpoint, Undo, ChangeRule, PolicyShow, PolicyTest, PolicyCheck, Review, Log,
                             Doctor, Completion, Manual, Version>;

/// A text to print and an exit code, instead of a command: --help, or a usage error.
struct Usage {
  std::string text;
  int exit_code = 0;
};

std::variant<Command, Usage> parse_arguments(int argc, const char* const* argv);

}  // namespace belljar::cli
