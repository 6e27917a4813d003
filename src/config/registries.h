// Package registries as the tools' own configuration on the host names them, read without running the tools.
// The workspace's configuration files are not read: the agent can write them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "config/placement.h"
#include "policy/policy.h"

namespace belljar::config {

/// Where the tools look on the host.
struct ToolHost {
  std::string home;                              ///< $HOME
  std::map<std::string, std::string> variables;  ///< the user's environment
  std::string npm_prefix = "/usr";               ///< its etc/npmrc is npm's global configuration
  WrittenByJars written = {};                    ///< what stands in there is not read; empty: nothing
  std::string root;  ///< put before the absolute paths of system files; "" on a host
};

struct Registry {
  policy::Scheme scheme = policy::Scheme::https;
  std::string host;  ///< canonical
  std::uint16_t port = 443;
  std::string origin;  ///< "~/.npmrc", "PIP_INDEX_URL", "npm's default"
};

struct Registries {
  std::vector<Registry> npm;
  std::vector<Registry> pypi;
  std::vector<Registry> apt;
  std::string npmrc;     ///< for the jar's ~/.npmrc, without credentials; empty: the tool's defaults will do
  std::string pip_conf;  ///< for the jar's ~/.config/pip/pip.conf, likewise
  std::vector<std::string> notes;  ///< what was named but can't be used, one line each, without credentials
};

/// Never fails: what can't be read or used is in the notes, and the tool gets no rule for it.
Registries find_registries(const ToolHost& host);

/// Puts the rules for a configuration's registry lines into `policy`, and for each of these registries the
/// exception that lets it have the non-public addresses it has on the host.
void add_registries(const std::vector<RegistryRule>& wanted, const Registries& registries,
                    policy::Policy& policy);

}  // namespace belljar::config
