// KeptNames: the names that a proxy gave addresses to, in a file of whoever started it (a memory file without
// a name), written before the address is told: a proxy that takes over after a crash gives no address that
// stands for another name already, and knows those that programs still use.
//
// One byte of length before each name, in the order of their addresses; zeros behind the last one. A name
// that was cut off when its proxy died was never told, and is overwritten. The file's size is its starter's
// affair (gateway::kNamesFileSize): it bounds what a proxy can write.
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
  KeptNames(os::Fd file, std::size_t end) : file_(std::move(file)), end_(end) {}
  os::Fd file_;
  std::size_t end_;  ///< of the last name
};

struct KeptNames::Opened {
  KeptNames kept;
  dns::NamePool pool;
};

}  // namespace belljar::proxy
