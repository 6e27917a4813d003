// The files of /etc that are the jar's own: its names, its user, its resolver, whom it trusts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/jar_spec.h"
#include "jar/root/etc_copy.h"

namespace belljar::jar {

/// A file of the jar's own that stands at `path` instead of the host's.
struct PrivateFile {
  std::string path;
  std::string content;
  unsigned mode = 0644;
  bool then_authority = false;  ///< the certificate of the jar's own authority follows
};

/// Files that every jar has alike, and empty places for those that differ from jar to jar.
Result<void> add_places(const std::string& etc, const std::string& ca_subject_hash, const Identity& identity);

/// Files of trusted certificates in this /etc, as paths in the jar.
std::vector<std::string> find_bundles(const std::string& etc);

/// What differs from jar to jar.
Result<std::vector<PrivateFile>> make_files(const JarSpec& spec, const EtcCopy& etc);

}  // namespace belljar::jar
