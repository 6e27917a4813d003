// A terminal of the jar's own devpts.
#pragma once

#include <cstdint>

namespace belljar::init {

class Terminal {
 public:
  Terminal() = default;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  /// 0 or an errno.
  int open(std::uint16_t rows, std::uint16_t columns);
  int take_master();

  int master = -1;
  int slave = -1;
};

}  // namespace belljar::init
