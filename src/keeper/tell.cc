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

void tell_lines(std::string_view text) {
  auto end = text.find('\n');
  tell(text.substr(0, end));
  while (end != std::string_view::npos) {
    text.remove_prefix(end + 1);
    end = text.find('\n');
    tell_more(text.substr(0, end));
  }
}

}  // namespace belljar::keeper
