// A screen as lines for people and comparisons: everything that redraw() restores.
#include "screen/style.h"
#include "screen/terminal.h"

namespace belljar::screen {

namespace {

/// A style as its SGR values, without the escape.
std::string style_text(const Style& style) {
  std::string text;
  append_sgr(text, style);
  return text.substr(2);
}

std::string pen_text(const Pen& pen) {
  std::string text = std::to_string(pen.row) + "," + std::to_string(pen.column) + " " + style_text(pen.style);
  if (pen.wraps_next) text += " wraps";
  for (bool draws_lines : pen.charsets.draws_lines)
    text += draws_lines ? " lines" : " ascii";
  return text + " G" + std::to_string(pen.charsets.in_use);
}

void append_grid(std::string& text, const Grid& grid, const GlyphTable& glyphs) {
  for (std::size_t n = 0; n < grid.rows(); ++n) {
    const auto& row = grid.row(n);
    text += n > 0 && row.continues ? '+' : '|';
    Style style;
    for (std::size_t column = 0; column < row.used(); ++column) {
      const auto& cell = row.cells[column];
      if (cell.style != style) text += "{" + style_text(style = cell.style) + "}";
      if (cell.span == Span::right_half)
        text += "<";
      else
        glyphs.append(text, cell.glyph);
    }
    text += '\n';
  }
}

}  // namespace

std::string Screen::Terminal::text() const {
  std::string text;
  const auto& grid = pages_[0].grid;
  for (std::size_t n = 0; n < grid.rows(); ++n) {
    const auto& row = grid.row(n);
    for (std::size_t column = 0; column < row.used(); ++column)
      if (row.cells[column].span != Span::right_half) glyphs_.append(text, row.cells[column].glyph);
    text += '\n';
  }
  return text;
}

std::string Screen::Terminal::dump() const {
  std::string text = std::to_string(size_.rows) + "x" + std::to_string(size_.columns);
  text +=
      " region " + std::to_string(top_) + "-" + std::to_string(bottom_) + (modes_.origin ? " origin" : "");
  text += "\ntitle " + title_ + "\npen " + pen_text(pen_) + "\nmodes";
  for (const auto& mode : kNamedModes)
    if (modes_.*mode.value) text += " " + std::to_string(mode.number);
  if (modes_.insert) text += " insert";
  if (modes_.newline) text += " newline";
  text += " mouse " + std::to_string(modes_.mouse) + "/" + std::to_string(modes_.mouse_coding);
  text += " keys " + std::to_string(modes_.other_keys) + " shape " + std::to_string(modes_.cursor_shape) +
          "\ntabs";
  for (std::size_t column = 0; column < tabs_.size(); ++column)
    if (tabs_[column]) text += " " + std::to_string(column);
  text += "\ncolors";
  for (const auto& [index, color] : palette_)
    text += " " + std::to_string(index) + "=" + std::to_string(color);
  text += '\n';
  for (std::size_t n = 0; n <= (alternate_ ? 1U : 0U); ++n) {
    const auto& page = pages_[n];
    text += n == 0 ? "main saved " : "alternate saved ";
    text += pen_text(page.saved) + (page.saved.origin ? " origin" : "") + " keyboard";
    for (auto flags : page.keyboard.all())
      text += " " + std::to_string(flags);
    text += '\n';
    append_grid(text, page.grid, glyphs_);
  }
  return text;
}

}  // namespace belljar::screen
