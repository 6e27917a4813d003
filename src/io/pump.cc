#include "io/pump.h"

namespace belljar::io {

Result<std::uint64_t> pump(Reader& from, Writer& to) {
  Bytes buffer(16U << 10);
  std::uint64_t total = 0;
  for (;;) {
    auto count = TRY(from.read_some(buffer));
    if (count == 0) break;
    TRY(to.write(BytesView(buffer).first(count)));
    TRY(to.flush());
    total += count;
  }
  TRY(to.close_write());
  return total;
}

}  // namespace belljar::io
