// References of images, as skopeo takes them: "docker://debian:12", "oci:/path/to/layout:tag",
// "oci-archive:/path.tar", "docker-archive:/path.tar", each with "@sha256:…" behind it where one image is
// meant for good.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace belljar::config {

struct ImageReference {
  std::string text;    ///< as it was written
  std::string source;  ///< for skopeo, without a digest
  std::string digest;  ///< "sha256:" and 64 hexadecimal digits; empty: whatever it leads to
  bool of_registry = false;
};

/// The message of the error says what a reference looks like.
Result<ImageReference> parse_image_reference(std::string_view text);

/// What skopeo is given for one image of a registry; the tag of a reference that has both goes.
std::string at_digest(const ImageReference& reference, const std::string& digest);

}  // namespace belljar::config
