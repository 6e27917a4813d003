// What a jar may have chosen, whole, in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::cli {

/// `text` without anything that a terminal would obey, in lines of at most `columns` characters (at least 8),
/// the further ones indented: a terminal that breaks a long line by itself would begin one that looks like
/// another entry. Nothing is cut.
std::vector<std::string> wrap(std::string_view text, std::size_t columns = 100);

}  // namespace belljar::cli
