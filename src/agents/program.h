// Where an agent's program stands on the host, and what of the host a jar must be shown to run it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::agents {

struct Program {
  std::string path;  ///< of the file to execute, without symlinks
  /// Host paths that hold the program and its interpreter, outside the system directories that every jar has.
  std::vector<std::string> binds;
  std::string interpreter;  ///< named by its "#!" line, without symlinks; empty: none or the system's own
};

/// Looks `command` up in `search_path` ("a:b:c"), as execvp does. An npm installation is shown as its
/// outermost node_modules folder; anything else as the one file. Nothing in `workspace` (empty: none) is
/// found, by whatever name: its jar writes there, and could have the host show it any file as the "program"
/// or its interpreter.
std::optional<Program> find_program(std::string_view command, std::string_view search_path,
                                    std::string_view workspace);

/// What the "#!" line of a program names: "node" of "#!/usr/bin/env node", else a path. Empty: none.
std::string interpreter_of(const std::string& path);

/// The dynamic loader that a program of x86-64 asks the kernel for ("/lib64/ld-linux-x86-64.so.2"). Empty:
/// none.
std::string loader_of(const std::string& path);

/// Whether every jar has this path anyway.
bool is_system_path(std::string_view path);

}  // namespace belljar::agents
