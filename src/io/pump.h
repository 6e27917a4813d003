// pump: moves all bytes of one reader to a writer.
#pragma once

#include "io/stream.h"

namespace belljar::io {

/// Copies until the end of `from`, flushing `to` after every chunk so that nothing waits; then closes to's
/// writing side. The number of bytes moved.
Result<std::uint64_t> pump(Reader& from, Writer& to);

}  // namespace belljar::io
