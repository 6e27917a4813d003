// keeper.sock in a jar's directory: how commands find the keeper of a running jar. Nothing of a jar can reach
// the directory, and a process of a jar that got there all the same is refused by its user namespace
// (os/peer.h).
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
/// `patient`: waits for a keeper that has too many to accept; otherwise that is timed_out.
Result<os::Fd> connect_to(const std::string& jar_directory, bool patient = true);
/// Whether a socket is there: with nobody holding the jar's lock, a keeper was killed.
bool has_socket(const std::string& jar_directory);

}  // namespace belljar::keeper
