#include "config/image_reference.h"

#include <algorithm>

#include <fmt/core.h>

namespace belljar::config {

namespace {

constexpr std::string_view kRegistry = "docker://";
constexpr std::string_view kLocal[] = {"oci:", "oci-archive:", "docker-archive:"};
constexpr std::string_view kDigest = "@sha256:";
constexpr std::size_t kDigits = 64;
constexpr std::size_t kLongest = 1024;

Error refuse(std::string_view why) {
  return Error(
      ErrorCode::invalid_argument,
      fmt::format("{} (as in docker://debian:12, oci:/path/of/layout:tag, docker-archive:/file.tar or "
                  "oci-archive:/file.tar, with @sha256:… behind it for one image for good)",
                  why));
}

/// Of names in registries; paths may have other characters, but none that a terminal or a list would obey.
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-/:").find(c) != std::string_view::npos;
}
bool is_printable(char c) { return c > ' ' && c < 0x7f; }

}  // namespace

Result<ImageReference> parse_image_reference(std::string_view text) {
  if (text.size() > kLongest || !std::all_of(text.begin(), text.end(), is_printable))
    return refuse("a reference of an image has at most 1024 printable characters and no blanks");
  ImageReference reference{.text = std::string(text)};
  auto at = text.rfind('@');
  if (at != std::string_view::npos) {
    auto digest = text.substr(at);
    if (!digest.starts_with(kDigest) || digest.size() != kDigest.size() + kDigits ||
        digest.substr(kDigest.size()).find_first_not_of("0123456789abcdef") != std::string_view::npos)
      return refuse("what stands behind the @ of an image is no sha256 digest");
    reference.digest = digest.substr(1);
    text = text.substr(0, at);
  }
  reference.source = text;
  reference.of_registry = text.starts_with(kRegistry);
  if (reference.of_registry) {
    auto name = text.substr(kRegistry.size());
    if (name.empty() || name[0] == '-' || name[0] == '/' ||
        !std::all_of(name.begin(), name.end(), is_name_character))
      return refuse("no image of a registry has this name");
    return reference;
  }
  for (auto transport : kLocal)
    if (text.starts_with(transport)) {
      if (text.size() > transport.size() + 1 && text[transport.size()] == '/') return reference;
      return refuse("the path of an image must be absolute");
    }
  return refuse("no reference of an image that belljar takes");
}

std::string at_digest(const ImageReference& reference, const std::string& digest) {
  auto name = reference.source;
  auto colon = name.rfind(':');
  if (auto slash = name.rfind('/'); colon != std::string::npos && colon > slash) name.resize(colon);
  return name + "@" + digest;
}

}  // namespace belljar::config
