#include "screen/screen.h"

#include <utility>

#include "screen/style.h"
#include "screen/terminal.h"

namespace belljar::screen {

Screen::Screen(Size size, Limits limits) : terminal_(std::make_unique<Terminal>(size, limits)) {}
Screen::Screen(Screen&&) noexcept = default;
Screen& Screen::operator=(Screen&&) noexcept = default;
Screen::~Screen() = default;

void Screen::feed(BytesView output) { terminal_->feed(output); }
Bytes Screen::take_answers() { return terminal_->take_answers(); }
void Screen::resize(Size size) { terminal_->resize(size); }
Size Screen::size() const { return terminal_->size(); }
Bytes Screen::redraw(std::size_t history) const { return terminal_->redraw(history); }
Bytes Screen::view(Size size, bool afresh) const { return terminal_->view(size, afresh); }
Bytes Screen::farewell() const { return terminal_->farewell(); }
bool Screen::is_plain() const { return terminal_->is_plain(); }
bool Screen::told_position() const { return terminal_->told_position(); }
const Scrollback& Screen::scrollback() const { return terminal_->scrollback(); }
std::string Screen::text() const { return terminal_->text(); }
const std::string& Screen::title() const { return terminal_->title(); }
bool Screen::alternate() const { return terminal_->alternate(); }
bool Screen::drawing() const { return terminal_->modes().drawing; }
bool Screen::brackets_paste() const { return terminal_->modes().brackets_paste; }
void Screen::set_host_colors(HostColors colors) { terminal_->set_host_colors(colors); }
std::string Screen::dump() const { return terminal_->dump(); }

Cursor Screen::cursor() const {
  const auto& pen = terminal_->pen();
  return {.row = pen.row,
          .column = pen.column,
          .visible = terminal_->modes().cursor_visible,
          .wraps_next = pen.wraps_next,
          .shape = static_cast<std::uint8_t>(terminal_->modes().cursor_shape)};
}

std::string Screen::text_at(std::uint16_t row, std::uint16_t column) const {
  std::string text;
  if (row >= size().rows) return text;
  auto cell = terminal_->shown().at(row, column);
  if (cell.span != Span::right_half) terminal_->glyphs().append(text, cell.glyph);
  return text;
}

Style Screen::style_at(std::uint16_t row, std::uint16_t column) const {
  return row < size().rows ? terminal_->shown().at(row, column).style : Style{};
}

}  // namespace belljar::screen
