// Unpacking an image: umoci, in a jar of its own. Layers are written by strangers; whatever they make of the
// program that reads them can reach no network and no file but the layout (to read) and an empty directory.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "image/room.h"

namespace belljar::image {

struct UnpackRequest {
  std::string umoci;            ///< program of the host, without symlinks
  std::string init_program;     ///< belljar's
  std::string cache_directory;  ///< as JarSpec's
  std::string layout;           ///< an OCI layout with the image "image"
  std::string directory;        ///< made: the state directory of the jar that unpacks
  std::string tree;             ///< where what was unpacked is moved to: a new path on the same file system
  std::function<void(const std::string&)> tell;
};

/// The tree belongs to the jars, and is as umoci made it: to be cleaned (jar/root/image_tree.h).
Result<void> unpack_image(const UnpackRequest& request, const RoomWatch& room);

}  // namespace belljar::image
