// A jar whose system is an image's (jar/root/image_generation.h): nothing of the host's system is shown in
// it.
#pragma once

#include "base/result.h"
#include "jar/identity.h"
#include "jar/jar_spec.h"
#include "jar/namespaces/root_plan.h"
#include "jar/namespaces/running.h"

namespace belljar::jar {

/// Takes what plan_system() lists of the host's system out of the plan.
void leave_host_system(RootPlan& plan);

/// Completes a plan without a system with the image that the jar's start has made ready; not_found where that
/// is gone.
Result<void> plan_image(const JarSpec& spec, const Identity& identity, RootPlan& plan, JarParts& parts);

/// The accounts of the system that is shown.
Accounts accounts_of(const RootPlan& plan);

}  // namespace belljar::jar
