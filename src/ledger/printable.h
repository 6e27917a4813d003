// Printable text: UTF-8 without anything that a terminal would obey or a person not see.
#pragma once

#include <string>
#include <string_view>

namespace belljar::ledger {

/// Whether the text is UTF-8 without control characters (U+0000–001F, U+007F–009F), line separators,
/// characters that turn the direction of writing, or ones that can't be seen.
bool is_printable(std::string_view text);

/// Every byte that keeps the text from being printable becomes "?", and so does every byte of a character
/// that can't be seen (zero width, tags, soft hyphens): what looks like another text is none. At most `limit`
/// bytes (at least 3) are kept, a cut text ends in "…".
std::string make_printable(std::string_view text, std::size_t limit);

}  // namespace belljar::ledger
