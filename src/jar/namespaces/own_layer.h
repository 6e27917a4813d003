// The layer that holds a jar's own changes to its system, as it is before anything has run in the jar.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/namespaces/layers.h"

namespace belljar::jar {

/// Makes the layer's directories, and in a fresh one the files that are the jar's own from then on: its
/// seeds, and each of `trusting` with the authority behind what the generation has. From outside, below all
/// mounts: through an overlay each would first be copied up, and waited for until it is on the disk.
Result<void> plant_own_layer(const WritableRoot& root, const std::vector<std::string>& trusting,
                             const std::string& authority, const Identity& identity);

/// A bundle of certificates ends with this and the jar's authority.
inline constexpr std::string_view kAuthorityMark =
    "\n# The authority of this jar, added by belljar at every start\n";

}  // namespace belljar::jar
