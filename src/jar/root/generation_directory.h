// The directory of one root generation (generation.h), whatever it was made from: its marks and its lock, and
// what jars record of theirs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "jar/root/generation.h"

namespace belljar::jar {

/// Names of generations that were made from an image begin so (image_generation.h).
inline constexpr std::string_view kImageGeneration = "image-";

/// Opens and locks a finished generation. Nothing when it isn't there or must not be used.
std::optional<Generation> open_generation_at(const std::string& path);

/// Writes a mark of a generation.
Result<void> mark(const std::string& path, std::string_view text = "");
/// The mark of `made` in this boot.
std::string this_boot();
bool exists(const std::string& path);
/// Without those that begin with a dot.
std::vector<std::string> names_in(const std::string& directory);

/// Renames ROOTS/NAME to a name of its own, to be removed by the next sweep.
Result<void> put_aside(const std::string& roots_directory, const std::string& name);

enum class GenerationOf : std::uint8_t { host, image };

/// The generation that a jar was last started with, of the host's system or of an image. Empty: none.
std::string recorded_generation(const std::string& state_directory, GenerationOf what);
/// Both.
std::vector<std::string> recorded_generations(const std::string& state_directory);
/// Records what a jar is started with: state/generation. The last one of the other kind is kept beside it, as
/// the jar may go back.
Result<void> record_generation(const std::string& state_directory, const std::string& name);

}  // namespace belljar::jar
