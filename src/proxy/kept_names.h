// KeptNames: the names that a proxy gave addresses to, in a file of whoever started it (a memory file without
// a name), written before the address is told: a proxy that takes over after a crash gives no address that
// stands for another name already, and knows those that programs still use.
//
// One byte of length before each name, in the order of their addresses; a length of zero is skipped. A name
// that was cut off when its proxy died was never told, and is overwritten with zeros.
#pragma once

#include <string_view>

#include "base/result.h"
#include "dns/name_pool.h"
#include "os/fd.h"

namespace belljar::proxy {

class KeptNames {
 public:
  struct Opened;
  /// Without a valid file nothing is kept. `malformed` when the file holds what no proxy writes.
  static Result<Opened> open(os::Fd file);
  /// Appends the name that was assigned last.
  Result<void> keep(std::string_view name);

 private:
  explicit KeptNames(os::Fd file) : file_(std::move(file)) {}
  os::Fd file_;
};

struct KeptNames::Opened {
  KeptNames kept;
  dns::NamePool pool;
};

}  // namespace belljar::proxy
