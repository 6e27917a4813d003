// A bounded walk over a workspace: by entry types only, through no symlink, into no other file system unless
// that is asked for. The jar may change what is being walked; every step opens by descriptor.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <sys/types.h>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::jar {

struct WalkEntry {
  int directory;          ///< descriptor of the directory that holds it
  std::string path;       ///< relative to the workspace
  std::string_view name;  ///< its last component
  unsigned char type;     ///< DT_*
};

struct WalkBounds {
  std::size_t entries = 400'000;
  std::size_t depth = 64;
  bool other_file_systems = false;
};

/// What a walk did not see.
struct Walked {
  std::string
      missed;  ///< one line: which bound, or which closed directory of the caller; empty: all was seen
  [[nodiscard]] bool complete() const { return missed.empty(); }
};

/// Calls `visit` for each entry; for a directory its answer says whether to walk into it.
Result<Walked> walk(const std::string& workspace, const std::function<bool(const WalkEntry&)>& visit,
                    WalkBounds bounds = {});

/// Opens a workspace that was resolved and checked by its path, `flags` as open(2) takes them. Another jar
/// may write above it by now, so that it is opened through no symlink: it is what was checked, or a directory
/// of that jar's own.
Result<os::Fd> open_workspace(const std::string& workspace, int flags);

}  // namespace belljar::jar
