// The index: the State of a workspace as it was last seen, with the times by which a file that did not change
// is known without reading it. Lost or damaged it costs a reading of everything, and nothing else.
//
// Its numbers are the machine's own: it is never carried to another one.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "undo/state.h"

namespace belljar::undo {

struct Index {
  std::uint64_t checkpoint = 0;  ///< whose state this is; it keeps the contents alive
  ObjectId top;                  ///< that checkpoint's listing
  std::string boot;              ///< in which start of the machine it was written
  bool settled = false;          ///< what it names was on the disk when this was written, or later
  State state;
};

Bytes encode_index(const Index& index);
/// Any bytes: `malformed` when they are not an index whose every reference lies within it.
Result<Index> decode_index(BytesView bytes);

/// Where in the file the byte is that says it is settled, and where the text that names the start of the
/// machine.
inline constexpr std::size_t kSettledAt = 8;
inline constexpr std::size_t kBootAt = 56;
inline constexpr std::size_t kBootSize = 40;

}  // namespace belljar::undo
