// keeper.sock in a jar's directory: how commands find the keeper of a running jar. Nothing of a jar can reach
// the directory, and a process of a jar that got there all the same is refused by its user namespace.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::keeper {

/// Listens in the jar's directory; a socket that a killed keeper left is replaced. The caller holds the jar's
/// lock. The path may be of any length.
Result<os::Fd> listen_in(const std::string& jar_directory);
/// Takes the name away.
void remove_socket(const std::string& jar_directory);
/// Connects to the keeper. not_found when none listens: the jar does not run, or its keeper was killed.
Result<os::Fd> connect_to(const std::string& jar_directory);
/// Whether a socket is there: with nobody holding the jar's lock, a keeper was killed.
bool has_socket(const std::string& jar_directory);

/// Whether the process that connected is of this user and of this very user namespace: a jar's processes have
/// the same user. permission_denied when it isn't, and when that can't be told for certain.
Result<void> check_peer(int socket);

}  // namespace belljar::keeper
