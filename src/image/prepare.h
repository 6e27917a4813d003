// The system of a jar with root = "image", from a reference to the root generation that the start finds.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "config/image_reference.h"
#include "jar/jar_spec.h"

namespace belljar::image {

struct ImageRequest {
  config::ImageReference reference;
  std::string libexec_directory;
  std::string search_path;     ///< where skopeo and umoci are looked for, as PATH
  std::string how_to_install;  ///< the command that installs them
};

struct PreparedImage {
  std::string digest;
  std::string generation_directory;
};

/// Makes ready what the jar of this specification is to have (its state directory is there, and the caller
/// holds its lock): the image that it was made with, for as long as the reference is the same; else what the
/// reference leads to now. Fetched and unpacked where this user has it no more, which is told. Fails with
/// nothing half done: what is cut off is removed by the next one that makes a system of an image.
Result<PreparedImage> prepare_image(const jar::JarSpec& spec, const ImageRequest& request);

}  // namespace belljar::image
