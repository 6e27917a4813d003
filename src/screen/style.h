// Select graphic rendition (SGR): from a sequence to a Style and back.
#pragma once

#include <string>

#include "screen/cell.h"
#include "screen/parser.h"

namespace belljar::screen {

/// Changes `style` as CSI … m says; what is unknown in it is passed over.
void apply_sgr(const Sequence& sequence, Style& style);

/// A sequence that sets `style` whatever was set before. Values of a foreign kind stand behind colons, so
/// that a terminal that doesn't know them passes them over.
void append_sgr(std::string& text, const Style& style);

}  // namespace belljar::screen
