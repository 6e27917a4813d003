// Saves the contents that a generation's trees lack, from the host into the generation: from then on nothing
// that happens to the host's files reaches its jars. Runs behind a jar, at the lowest priority, and can be
// interrupted at any time.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/root/system_tree.h"

namespace belljar::jar {

/// The files that one directory's tree lacks, as they are kept in the generation.
Result<void> write_list(const std::string& path, const std::vector<LargeFile>& files);
Result<std::vector<LargeFile>> read_list(const std::string& path);

struct SaveSource {
  std::string host;  ///< the host's directory
  std::string data;  ///< the generation's contents of it; is there
};

enum class SavedState { all, changed };

/// Saves what is not saved yet. `changed`: the host's files are no longer those of the generation, which
/// therefore can't be completed. Fails when there is no room (limit_exceeded) or the disk does.
Result<SavedState> save_contents(const SaveSource& source, const std::vector<LargeFile>& files,
                                 const Identity& identity);

/// Puts the saved contents in the place of what stood for them in the tree. Jars that run with the tree see
/// the same as before.
Result<void> complete_tree(const std::string& data, const std::string& tree,
                           const std::vector<LargeFile>& files);

/// Links what an earlier generation has saved and the host has not changed since.
void link_contents(const std::string& previous, const std::string& data, const std::vector<LargeFile>& files,
                   const Identity& identity);

/// Whether the host still has every file that isn't saved yet.
bool host_has_rest(const SaveSource& source, const std::vector<LargeFile>& files);

}  // namespace belljar::jar
