// Fetching an image: skopeo, the user's own program, with the user's logins for registries and the user's
// network. What it brings is not looked into here.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "image/room.h"

namespace belljar::image {

struct Skopeo {
  std::string program;
  std::function<void(const std::string&)> tell;
};

/// The digest by which a registry knows what `source` ("docker://debian:12") leads to now.
Result<std::string> resolve_digest(const Skopeo& skopeo, const std::string& source, const RoomWatch& room);

/// Copies the image to a new OCI layout, as "LAYOUT:image". The digest of its manifest there. `directory` is
/// a private one, for what skopeo says.
Result<std::string> copy_image(const Skopeo& skopeo, const std::string& source, const std::string& directory,
                               const std::string& layout, const RoomWatch& room);

}  // namespace belljar::image
