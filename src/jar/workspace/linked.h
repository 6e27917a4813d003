// A workspace that is a linked worktree (git worktree add) or a submodule: the git directory that it belongs
// to stands elsewhere, and a jar needs it to use git.
//
// The workspace's .git file, which a jar may have written, is not believed alone: the git directory must name
// this workspace itself.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace belljar::jar {

/// The common git directory of the workspace when it stands outside of it and belongs to it: absolute,
/// without symlinks. Empty otherwise, with `why` set where a .git file leads outside and is not followed.
/// Never what is or holds one of `homes` or `hidden` (jar/workspace/refusal.h).
std::string find_git_directory(const std::string& workspace, const std::vector<std::string>& homes,
                               const std::vector<std::string>& hidden, std::string& why);

}  // namespace belljar::jar
