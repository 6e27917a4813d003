// Arguments: what a command line asks for. CLI11 is confined to arguments.cc.
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
  bool remove = false;                 ///< delete the jar at the end
  std::vector<std::string> variables;  ///< NAME or NAME=VALUE
  std::vector<std::string> allow;      ///< HOST or HOST:PORT, for this start only
  std::optional<bool> use_login;       ///< hand the host's login of the agent into the jar
};

struct Start {
  StartOptions options;
  std::string agent;                 ///< empty: `run`
  std::vector<std::string> command;  ///< the agent's arguments, or the whole command
};

struct List {
  bool json = false;
};
struct Remove {
  std::vector<std::string> jars;
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
};

struct PolicyShow {
  std::string jar;
  std::string agent;
  bool json = false;
};
struct PolicyTest {
  std::string jar;
  std::string agent;
  std::string method;
  std::string url;
  bool json = false;
};
struct PolicyCheck {
  std::string jar;
};
struct Log {
  std::string jar;
  bool json = false;
  bool verify = false;
  bool follow = false;
  std::uint64_t limit = 50;
};
struct Doctor {
  bool json = false;
};
struct Version {};

using Command =
    std::variant<Start, List, Remove, ChangeRule, PolicyShow, PolicyTest, PolicyCheck, Log, Doctor, Version>;

/// A text to print and an exit code, instead of a command: --help, or a usage error.
struct Usage {
  std::string text;
  int exit_code = 0;
};

std::variant<Command, Usage> parse_arguments(int argc, const char* const* argv);

}  // namespace belljar::cli
