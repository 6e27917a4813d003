// Git's index file, as far as an undo asks: whether two of them say the same. `git status` writes the index
// anew whenever it has looked at files, with their inodes and times; nobody needs to be asked about that.
// Format: gitformat-index(5), versions 2 to 4.
#pragma once

#include "base/bytes.h"

namespace belljar::undo {

/// Any bytes. True where both are whole index files with the same paths, modes, object names and flags in the
/// same order, and the same extensions but those that only hold what can be found again (the cached tree,
/// what is untracked, offsets). False in every case of doubt.
bool say_the_same(BytesView a, BytesView b);

}  // namespace belljar::undo
