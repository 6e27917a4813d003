// Whether a jar's system directories are writable, and what they are made of.
#pragma once

#include "base/result.h"
#include "jar/identity.h"
#include "jar/jar_spec.h"
#include "jar/namespaces/root_plan.h"
#include "jar/namespaces/running.h"

namespace belljar::jar {

/// Makes what a start with this specification would have to make first, and says so (spec.tell). The start
/// finds it then.
Result<void> prepare_root(const JarSpec& spec);

/// Completes a plan that lists the system directories and the jar's files: where the host can and the
/// specification wants it, directories become layers of a root generation (made first, where there is none
/// yet) and files that programs replace become the jar's. Says in the report what was chosen.
Result<void> plan_writable(const JarSpec& spec, const Identity& identity, RootPlan& plan, JarParts& parts);

}  // namespace belljar::jar
