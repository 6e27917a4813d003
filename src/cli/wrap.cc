#include "cli/wrap.h"

#include "ledger/printable.h"

namespace belljar::cli {

namespace {

constexpr std::string_view kIndent = "      ";

/// How many bytes of `text` the first `columns` characters are.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80;
    if (begins && columns-- == 0) break;
  }
  return at;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  // Never longer than what came in, so nothing is cut.
  auto printable = ledger::make_printable(text, text.size() + 3);
  std::string_view rest = printable;
  std::vector<std::string> lines;
  while (true) {
    std::string line(lines.empty() ? "" : kIndent);
    auto most = bytes_of(rest, columns - line.size());
    auto space = most < rest.size() ? rest.rfind(' ', most) : std::string_view::npos;
    auto count = space == std::string_view::npos || space < most / 2 ? most : space + 1;
    if (count > most) count = most;
    lines.push_back(line.append(rest.substr(0, count)));
    rest.remove_prefix(count);
    if (rest.empty()) return lines;
  }
}

}  // namespace belljar::cli
