// The programs that init started and that have not ended.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "bin/init/socket.h"

namespace belljar::init {

/// Starts what the request describes and answers it.
void start_program(Request& request);
/// Interrupts from a keyboard go to the whole process group, as a terminal would send them; others to the
/// program.
void signal_program(std::uint32_t id, int number);
void resize_terminal(std::uint32_t id, std::uint16_t rows, std::uint16_t columns);

struct Ended {
  std::uint32_t id = 0;  ///< 0: none of ours
  bool ends_jar = false;
};
/// The program that had this process number; it is forgotten.
Ended forget_program(pid_t process);

}  // namespace belljar::init
