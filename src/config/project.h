// The belljar.toml of a repository. The agent can write it, so it is only a suggestion: it counts after the
// user has approved this exact content, and what it widens is shown before. Reading it never follows a link
// out of the workspace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace belljar::config {

inline constexpr std::string_view kProjectFile = "belljar.toml";
/// A suggestion is read by a person: longer ones are refused.
inline constexpr std::size_t kMaxProjectFile = 64U << 10;  // bytes

/// The text of the workspace's belljar.toml; nothing when there is none. What is no plain file (a link, a
/// FIFO) or too long is an error that says so.
Result<std::optional<std::string>> read_project_file(const std::string& workspace);

/// What a person can look through in it: longer lines and lists, and values said twice, hide others.
inline constexpr std::size_t kMaxProjectLine = 1024;  // bytes
inline constexpr std::size_t kMaxProjectList = 64;    // items

/// As parse_config, without what a project may not say at all, and without what can't be looked through.
Result<Config> parse_project(std::string_view toml,
                             const std::string& shown_path = std::string(kProjectFile));

/// One line of what a project's file changes.
struct Change {
  bool widens = false;  ///< the jar could do more than the user's own configuration lets it
  std::string what;     ///< "api.example.com: allow POST (any path)": may hold texts that a jar chose
  std::string origin;
};

/// In the order of the file: every allow, service, passed variable and limit above the user's widens.
std::vector<Change> changes_of(const Config& project, const Config& user);

}  // namespace belljar::config
