// What belljar itself says to the person at the terminal while a command does its work: on standard error, so
// that the output stays the program's own.
#pragma once

#include <string_view>

namespace belljar::keeper {

/// One line "belljar: TEXT". The text may hold what a jar chose (a path, a name): what a terminal would obey
/// is taken out. A line that can't be written is lost.
void tell(std::string_view text);
/// A line that belongs to the one before.
void tell_more(std::string_view text);

/// A text of several lines: the first as tell(), the others as tell_more().
void tell_lines(std::string_view text);

}  // namespace belljar::keeper
