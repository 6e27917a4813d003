// What the readers of the tools' configurations share: files of the host, and addresses of registries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/ini.h"
#include "config/registries.h"

namespace belljar::config {

/// The text of a file; nothing when it is absent, nothing and a note when it can't be read, is larger than
/// 1 MiB, or a jar could write it.
std::optional<std::string> read_tool_file(const ToolHost& host, const std::string& path,
                                          std::vector<std::string>& notes);

/// Its entries; none where there is no text.
std::vector<IniEntry> read_ini(const ToolHost& host, const std::string& path, bool continued,
                               std::vector<std::string>& notes);

/// The variable's value, nothing when unset or empty.
std::optional<std::string> variable_of(const ToolHost& host, const std::string& name);

/// "~/.npmrc" for what is below the home.
std::string shown_path(const ToolHost& host, const std::string& path);

/// A registry's address taken apart, its credentials dropped.
struct RegistryUrl {
  Registry registry;
  std::string text;  ///< scheme://host[:port]/path, nothing else
};
/// Nothing, and a note that names `origin` but never the address (it may carry a credential), for what no
/// rule can name.
std::optional<RegistryUrl> parse_registry_url(std::string_view url, const std::string& origin,
                                              std::vector<std::string>& notes);

void read_npm(const ToolHost& host, Registries& registries);
void read_pip(const ToolHost& host, Registries& registries);
void read_apt(const ToolHost& host, Registries& registries);

}  // namespace belljar::config
