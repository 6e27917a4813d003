// The files of /etc that are the jar's own: its names, its user, its resolver, whom it trusts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/jar_spec.h"
#include "os/fd.h"

namespace belljar::jar {

/// A file of the jar's own that stands at `path` instead of the host's.
struct PrivateFile {
  std::string path;
  std::string content;
  unsigned mode = 0644;
};

/// A file of the host's copy of /etc that is shown with more behind what it has.
struct ExtendedFile {
  std::string path;
  os::Fd base;
  std::string more;
};

/// Files that every jar has alike, and empty places for those that differ from jar to jar.
Result<void> add_places(const std::string& etc, const std::string& ca_subject_hash, const Identity& identity);

/// Files of trusted certificates in this /etc, as paths in the jar: bundles, and the place of the jar's own
/// authority. Each is shown with the authority's certificate behind what it has.
std::vector<std::string> find_trusting(const std::string& etc, const std::string& ca_subject_hash);

/// What package managers need where there is one id and nobody to become.
Result<void> add_for_packages(const std::string& etc, const Identity& identity);

/// Whose daemons' accounts a jar has, and which shell.
struct Accounts {
  std::string passwd = "/etc/passwd";
  std::string group = "/etc/group";
  std::string shell;
};
Accounts accounts_of_host();

/// What differs from jar to jar.
Result<std::vector<PrivateFile>> make_files(const JarSpec& spec,
                                            const Accounts& accounts = accounts_of_host());

/// What is shown at `path`, one of find_trusting(), of the copy that `etc` (O_PATH is enough) opens.
Result<ExtendedFile> add_certificate(int etc, const std::string& path, const std::string& certificate);

}  // namespace belljar::jar
