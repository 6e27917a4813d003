// A root generation that was made from an image instead of from the host: its system as the image has it,
// owned by the jar's root, shared by the jars of one user that have this image. Nothing of the host's is
// used. roots/image-VERSION-USER-AUTHORITY-DIGEST/ holds, beside what every generation has (generation.h),
//
//     image            the reference that it was first made for, and the digest
//     passwd, group    the image's accounts
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/root/generation.h"
#include "jar/root/image_tree.h"

namespace belljar::jar {

/// Which image a jar was made with: it stays so for as long as the reference is the same, wherever the
/// reference leads by now.
struct ImagePin {
  std::string reference;  ///< as configured
  std::string digest;     ///< "sha256:" and 64 hexadecimal digits
  bool operator==(const ImagePin&) const = default;
};

std::optional<ImagePin> pinned_image(const std::string& state_directory);
Result<void> pin_image(const std::string& state_directory, const ImagePin& pin);

struct ImageGenerationRequest {
  std::string roots_directory;
  Identity identity;
  std::string ca_subject_hash;
};

/// Nothing when there is none, or none that may be used.
std::optional<Generation> find_image_generation(const ImageGenerationRequest& request,
                                                const std::string& digest);

/// Makes a generation of `directory`, a new directory in the roots directory in which `tree` is what the
/// image was unpacked to, and takes it. The directory is as it was where that fails, but for what was
/// cleaned. `malformed` says why an image can't be a jar's system.
Result<Generation> adopt_image(const ImageGenerationRequest& request, const std::string& directory,
                               const ImagePin& pin, CleanedTree& cleaned);

/// The jar's changes of this image's system; those of another image, and of the host's, stand beside it.
std::string own_directory_of_image(const std::string& state_directory, const Generation& generation);

/// What a jar is shown of the image: its top directories and the symlinks among them. Never what every jar
/// has of its own (/dev, /tmp, /home …).
struct ImageSystem {
  std::vector<std::string> directories;  ///< names
  struct Link {
    std::string name;
    std::string target;
  };
  std::vector<Link> links;
};
Result<ImageSystem> read_image_system(const Generation& generation);

/// Whether the image has an executable program of this name in the usual directories, or at this path where
/// it is one. Resolved within the image.
bool has_program(const std::string& generation_directory, std::string_view program);

}  // namespace belljar::jar
