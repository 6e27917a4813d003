#include "undo/attributes.h"

#include <cerrno>
#include <map>
#include <vector>

#include <sys/xattr.h>

#include "wire/codec.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kMost = 128U << 10;         // of one file; bytes
constexpr std::size_t kLongestValue = 64U << 10;  // XATTR_SIZE_MAX
using Attributes = std::map<std::string, std::string>;

bool is_ours(std::string_view name) {
  return name.starts_with("user.") || name == "system.posix_acl_access" || name == "system.posix_acl_default";
}

Attributes attributes_of(int file) {
  Attributes found;
  auto size = ::flistxattr(file, nullptr, 0);
  if (size <= 0) return found;
  std::string names(static_cast<std::size_t>(size), '\0');
  size = ::flistxattr(file, names.data(), names.size());
  if (size <= 0) return found;
  names.resize(static_cast<std::size_t>(size));
  std::size_t total = 0;
  std::string value(kLongestValue, '\0');
  for (std::size_t at = 0; at < names.size();) {
    std::string name = names.c_str() + at;
    at += name.size() + 1;
    if (!is_ours(name)) continue;
    auto length = ::fgetxattr(file, name.c_str(), value.data(), value.size());
    if (length < 0) continue;
    total += name.size() + static_cast<std::size_t>(length);
    if (total > kMost) return {};
    found[name] = value.substr(0, static_cast<std::size_t>(length));
  }
  return found;
}

Result<Attributes> decode(std::string_view encoded) {
  Attributes wanted;
  if (encoded.empty()) return wanted;
  wire::Decoder in(as_bytes(encoded));
  auto count = TRY(in.count());
  for (std::size_t n = 0; n < count; ++n) {
    auto name = TRY(in.text());
    auto value = TRY(in.text());
    if (is_ours(name)) wanted[name] = value;
  }
  TRY(in.finish());
  return wanted;
}

}  // namespace

std::string read_attributes(int file) {
  auto found = attributes_of(file);
  if (found.empty()) return {};
  wire::Encoder out;
  out.count(found.size());
  for (const auto& [name, value] : found)
    out.text(name).text(value);
  return std::string(as_text(out.result()));
}

Result<void> write_attributes(int file, std::string_view encoded) {
  auto wanted = TRY(decode(encoded));
  auto present = attributes_of(file);
  if (wanted == present) return {};
  Result<void> done;
  for (const auto& [name, value] : present)
    if (!wanted.contains(name) && ::fremovexattr(file, name.c_str()) < 0)
      done = Error::from_errno(errno, "take the attribute " + name + " away");
  for (const auto& [name, value] : wanted)
    if ((!present.contains(name) || present[name] != value) &&
        ::fsetxattr(file, name.c_str(), value.data(), value.size(), 0) < 0)
      done = Error::from_errno(errno, "set the attribute " + name);
  return done;
}

}  // namespace belljar::undo
