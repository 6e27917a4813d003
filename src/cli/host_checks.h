// What the kernel and the distribution say of a host, and the exact command that mends each fault. Only files
// are read, so that a copy of them can be judged, too: that of somebody who asks for help.
#pragma once

#include <string>
#include <vector>

namespace belljar::cli {

struct Check {
  enum class State { good, weak, bad };
  State state = State::good;
  std::string what;
  std::string found;
  std::string mend;  ///< the next command; empty where there is none
};

struct Host {
  std::string root;        ///< before every path that is read; empty: this host
  bool privileged = true;  ///< belljar is to run as root there
};

/// Kernel, switches of namespaces, firewall, overlay, Landlock, control groups: in this order, all of them.
std::vector<Check> check_host(const Host& host);

/// How a package of each of these names is installed there: "sudo apt-get install …". Empty: it can't be
/// told.
std::string install_command(const Host& host, const std::string& packages);

/// What installs npm on this host.
std::string missing_npm();

}  // namespace belljar::cli
