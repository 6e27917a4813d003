// confine(): what each of belljar's own worker processes does before it reads a byte that comes from a jar or
// the network. It takes away, for good and for the whole process, all that the worker does not need:
//
//   no_new_privs · no capabilities · limits · not dumpable, no core · a network namespace of its own with
//   nothing in it (unless it needs the network) · Landlock: no path, no TCP, no signal to others · a system
//   call allow-list (os/worker_calls.h)
//
// Where the kernel has no Landlock and paths are granted, a root directory of its own with nothing else in it
// (os/bare_root.h), unless the host refuses the namespaces for that.
//
// Descriptors that are open stay usable; files that a library reads lazily must be read before. Builds with
// AddressSanitizer run the same filter: its leak check, which would need ptrace and a clone, is skipped in
// confined processes, and its reports are unsymbolised.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "os/landlock.h"

namespace belljar::os {

struct Confinement {
  bool network = false;       ///< may make IPv4 and IPv6 connections and send datagrams
  bool socket_pairs = false;  ///< may make stream and seqpacket pairs
  bool accept = false;        ///< may accept on listeners that it has
  /// What of the filesystem stays reachable, by O_PATH descriptors; with none, no file can be opened at all.
  std::vector<PathGrant> paths;
  /// What need only be looked at (stat(2)), by O_PATH descriptors of directories: Landlock hides no such
  /// thing, a bare root does, and shows these to be read.
  std::vector<int> shown;
  bool without_landlock = false;  ///< as on a kernel that has none: for tests
  unsigned max_open_files = 4096;
  std::uint64_t max_address_space = 0;  ///< bytes; 0: no limit. Not applied under AddressSanitizer.
};

/// What stands, for `belljar doctor`: seccomp and limits always, the rest where the kernel has it.
struct Confined {
  int landlock_abi = 0;            ///< 0: the kernel has no Landlock
  bool bare_root = false;          ///< instead of it, where paths are granted: nothing else has a path
  bool network_namespace = false;  ///< false: refused by the host, or the network is needed
};

/// Call once, with one thread. An error means that the process must end: it may be half confined. What this
/// kernel does not have is not an error, what it has and fails is.
Result<Confined> confine(const Confinement& confinement);

}  // namespace belljar::os
