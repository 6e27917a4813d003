// Which kind of writable root this host can have. Below the jar's own changes (an overlay's upper layer) lies
// a generation (generation.h) of the host's system, in which the jar's root owns everything:
//
//   metadata  large files are empty files of the right size and mode that name the host's file for their
//             content. Everything works at once. Needs an overlay that follows such names without privileges
//             (Linux 6.16).
//   skeleton  large files are the host's own until they are saved into the generation: until then they can be
//             replaced and removed, but not linked, renamed or changed in place (dpkg --reinstall). Any
//             kernel whose overlays can be mounted without privileges (5.11).
//   read_only no overlay: the host's directories, as they are.
#pragma once

#include <string>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/jar_spec.h"

namespace belljar::jar {

enum class RootTier : std::uint8_t { read_only, skeleton, metadata };

const char* name_of(RootTier tier);

struct TierFound {
  RootTier tier = RootTier::read_only;
  std::string why;  ///< what keeps the host from a better one; empty for the best
};

/// The best tier that works, but none better than `choice` asks for; `unsupported` when a tier that was asked
/// for by name does not work. Tries with real mounts below `roots_directory`, once for each boot.
Result<TierFound> find_tier(const std::string& roots_directory, RootChoice choice, const Identity& identity);

/// Tries one tier with real mounts. For tests, and for it: `unsupported` says which step failed.
Result<void> try_tier(RootTier tier, const std::string& roots_directory, const Identity& identity);

}  // namespace belljar::jar
