// Listings: what a directory holds, as an object of the store. Everything that a git tree has no room for is
// in it (times, owners, all modes, extended attributes, empty directories, names that git refuses), and it is
// the listings that an undo reads. The trees beside them make the objects reachable for git's own tools.
#pragma once

#include <span>

#include "undo/state.h"

namespace belljar::undo {

/// The entries `first` to `first + count` of the state. Of directories that were read, `content` must be
/// their listing.
Bytes encode_listing(const State& state, std::uint32_t first, std::uint32_t count);

/// Appends the entries of a listing to the state. Any bytes: what can't be a directory is `malformed`.
Result<void> decode_listing(BytesView bytes, State& state);

/// A tree of a directory's entries as git has it, for the listing under "%listing".
Bytes encode_tree(const State& state, const Directory& directory, const ObjectId& listing);
/// The tree of a whole checkpoint: the listing of the workspace's own entry, and the workspace.
Bytes encode_top_tree(const ObjectId& top_listing, const ObjectId& tree);

/// The name under which git's tools see an entry: everything but plain letters, digits and some signs is
/// percent-encoded, as are names by which git would be misled (".git" in whatever spelling).
std::string tree_name(std::string_view name);

}  // namespace belljar::undo
