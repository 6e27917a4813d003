// Control groups as directories: how they are made, and how those go that nobody looks after any more. A
// group that was just made is as empty as one that was left, and must not be taken for it.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::jar {

/// A control group that no sweep removes while this lives. Once a process is in it, the kernel sees to that.
struct [[nodiscard]] NewGroup {
  std::string path;
  os::Fd hold;
};

/// already_exists where there is one of that name.
Result<NewGroup> make_group(const std::string& parent, const std::string& name);

/// Removes the groups in `parent` whose names begin with `prefix`, hold no process and aren't just being
/// made.
void sweep_groups(const std::string& parent, const std::string& prefix);

}  // namespace belljar::jar
