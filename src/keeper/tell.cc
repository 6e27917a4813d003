#include "keeper/tell.h"

#include <unistd.h>

#include "ledger/printable.h"
#include "os/fd.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kLongest = 16U << 10;  // bytes

void write_line(std::string_view start, std::string_view text) {
  auto line = std::string(start) + ledger::make_printable(text, kLongest) + "\n";
  (void)os::write_all(STDERR_FILENO, as_bytes(line));
}

}  // namespace

void tell(std::string_view text) { write_line("belljar: ", text); }
void tell_more(std::string_view text) { write_line("         ", text); }

}  // namespace belljar::keeper
