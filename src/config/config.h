// Configuration: what the user wrote in config.toml and in jars/NAME.toml, and what a repository suggests in
// belljar.toml, checked and as values.
//
// Whatever is not understood is an error, never ignored: unknown keys and wrong types with file, line, column
// and the nearest known key, all of a file's errors in one message, one a line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/placement.h"
#include "policy/policy.h"

namespace belljar::config {

struct Limits {
  std::optional<std::uint64_t> memory;     ///< bytes
  std::optional<double> cpus;              ///< cores
  std::optional<std::uint64_t> processes;  ///< of the whole jar
  std::optional<std::uint64_t> wall;       ///< seconds from a start to its end
  std::optional<std::uint64_t> disk;       ///< bytes that the jar may add
};

/// No jar starts in less memory than this.
inline constexpr std::uint64_t kLeastMemory = 16ULL << 20;
/// Nor is less room on disk of use.
inline constexpr std::uint64_t kLeastDisk = 1ULL << 20;

/// What is kept for `belljar undo`.
struct UndoBounds {
  std::optional<std::int64_t> keep;      ///< seconds
  std::optional<std::uint64_t> size;     ///< of a jar's checkpoints; bytes
  std::optional<std::uint64_t> ignored;  ///< larger files that git ignores are not saved; bytes
};

/// A rule for the hosts of a tool's registries as the host's own configuration names them
/// (config/registries.h).
struct RegistryRule {
  std::vector<std::string> registries;  ///< "npm", "pypi", "apt"
  policy::Rule rule;                    ///< without host, port and scheme
};

struct Config {
  std::optional<std::string> agent;
  std::optional<std::string> backend;    ///< "auto", "namespace", "vm"
  std::optional<std::string> workspace;  ///< "bind"
  std::optional<std::string> root;       ///< "auto", "metadata", "skeleton", "readonly", "image"
  std::optional<std::string> image;      ///< with the root "image": parse_image_reference() takes it
  std::vector<policy::Rule> rules;
  std::vector<RegistryRule> registries;
  Limits limits;
  UndoBounds undo;
  std::vector<policy::Service> services;
  std::map<std::string, std::string> variables;  ///< plain variables for the jar
  std::vector<std::string> passed_variables;     ///< names whose value on the host goes in
  bool allow_unguarded = false;                  ///< start in a workspace that can't be guarded as a whole
  /// Where each value stands ("~/.config/belljar/config.toml:12:1"), by its name: "jar.agent",
  /// "limits.memory", "env.EDITOR", "env.pass.GOFLAGS". Rules and services carry their own.
  std::map<std::string, std::string> origins;
};

/// Who wrote a file. What a project may not say at all is an error, whoever approves it.
enum class Author : std::uint8_t { user, project };

/// `shown_path` is what messages and origins call the file ("~/.config/belljar/config.toml"). The text is at
/// most 1 MiB.
Result<Config> parse_config(std::string_view toml, const std::string& shown_path,
                            Author author = Author::user);
/// An absent file is an empty configuration; one that jars can write is an error (config/placement.h).
Result<Config> load_config(const std::string& path, const std::string& shown_path,
                           const WrittenByJars& written);

/// "512M", "4G": the largest binary unit that divides the number.
std::string format_size(std::uint64_t bytes);
/// The reverse: nothing for what is no such size, 0, or more than 2^62.
std::optional<std::uint64_t> parse_size(std::string_view text);
/// "7d": also h, m, s; in seconds. Nothing for what is no such time, or more than a thousand years.
std::optional<std::int64_t> parse_duration(std::string_view text);
/// The reverse: "90m", in the largest unit that divides it.
std::string format_duration(std::int64_t seconds);

/// What `over` says wins where there is room for one value; rules, services and variables add up.
Config merge(Config base, const Config& over);

}  // namespace belljar::config
