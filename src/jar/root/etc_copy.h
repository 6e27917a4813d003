// The jar's /etc: a copy of what everybody may read in the host's, without what carries credentials or
// describes the host's network. Made once for each state of the host's /etc and shared by the jars of one
// user.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "os/fd.h"

namespace belljar::jar {

struct EtcCopy {
  std::string tree;                   ///< the directory that becomes /etc
  os::Fd lock;                        ///< keeps it from being removed
  std::vector<std::string> trusting;  ///< find_trusting() of it
};

/// `cache_directory` is made where missing. `ca_subject_hash` names the entry that the jar's own CA will be
/// shown at. Checks the host's /etc for changes (a fraction of a millisecond) and copies it when there are
/// any.
Result<EtcCopy> prepare_etc(const std::string& cache_directory, const std::string& ca_subject_hash,
                            const Identity& identity);

/// Copies `source` as prepare_etc() copies /etc. For tests, and for it.
Result<void> copy_etc(const std::string& source, const std::string& target, const Identity& identity);

}  // namespace belljar::jar
