// Where belljar keeps things of this user: the XDG base directories. All are mode 0700.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace belljar::keeper {

struct Directories {
  std::string user_home;  ///< $HOME of the user on the host
  std::string config;     ///< $XDG_CONFIG_HOME/belljar: config.toml, jars/NAME.toml
  std::string state;      ///< $XDG_STATE_HOME/belljar: jars/NAME/, roots/, ledger/, review/
  std::string cache;      ///< $XDG_CACHE_HOME/belljar: what can be made again

  [[nodiscard]] std::string jars() const { return state + "/jars"; }
  [[nodiscard]] std::string roots() const { return state + "/roots"; }
  [[nodiscard]] std::string ledger() const { return state + "/ledger"; }
  [[nodiscard]] std::string review() const { return state + "/review"; }
  /// Everything of belljar's own: no workspace may be or contain one of these.
  [[nodiscard]] std::vector<std::string> own() const { return {config, state, cache}; }
};

/// From the environment. HOME is needed and must be an absolute path.
Result<Directories> find_directories();

}  // namespace belljar::keeper
