// Whether a jar's system directories are writable, and what they are made of.
#pragma once

#include "base/result.h"
#include "jar/identity.h"
#include "jar/jar_spec.h"
#include "jar/namespaces/root_plan.h"
#include "jar/namespaces/running.h"
#include "jar/root/generation.h"

namespace belljar::jar {

/// What a start goes on with.
struct PreparedRoot {
  RootChoice choice = RootChoice::automatic;
  std::string shortfall;  ///< why it is read-only where a writable one would have been had; else empty
  std::string hint;       ///< the command that mends it
};

/// Makes what a start with this specification would have to make first, and says so (spec.tell). The start
/// finds it then. Where the choice is left to belljar and the host has no way or no room for a system of the
/// jar's own, it is to be read-only, which the caller must tell; but not for a jar that has changed its
/// system: that one would miss what it installed, and does not start.
Result<PreparedRoot> prepare_root(const JarSpec& spec);

/// Completes a plan that lists the system directories: where the host can and the specification wants it,
/// they become layers of a root generation (made first, where there is none yet). Says in the report what was
/// chosen.
Result<void> plan_writable(const JarSpec& spec, const Identity& identity, RootPlan& plan, JarParts& parts);

/// Adds a generation and the jar's own changes to a plan, as layers of no directories yet.
Result<void> plan_layers(const Identity& identity, const Generation& generation, const std::string& own,
                         WritableRoot& root);

/// What generations of the host's system are asked for with, of the system directories of this host.
GenerationRequest host_generation_request(const JarSpec& spec, const Identity& identity);

/// Of the files of a plan with a writable root, those that programs replace become the jar's.
void take_seeds(RootPlan& plan);

}  // namespace belljar::jar
