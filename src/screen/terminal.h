// The inside of a Screen: state, and what each control function does to it. Not for others to include.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "screen/glyphs.h"
#include "screen/grid.h"
#include "screen/modes.h"
#include "screen/parser.h"
#include "screen/screen.h"

namespace belljar::screen {

class Screen::Terminal final : public ParserEvents {
 public:
  Terminal(Size size, Limits limits);

  void feed(BytesView output);
  void resize(Size size);
  [[nodiscard]] Bytes redraw(std::size_t history) const;
  [[nodiscard]] Bytes view(Size size, bool afresh) const;
  [[nodiscard]] Bytes farewell() const;
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] std::string dump() const;
  [[nodiscard]] std::string text() const;

  // One of these lets out what the others hold.
  [[nodiscard]] const Grid& shown() const { return pages_[alternate_ ? 1 : 0].grid; }
  [[nodiscard]] const Pen& pen() const { return pen_; }
  [[nodiscard]] const Modes& modes() const { return modes_; }
  [[nodiscard]] bool alternate() const { return alternate_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const Scrollback& scrollback() const { return scrollback_; }
  [[nodiscard]] const GlyphTable& glyphs() const { return glyphs_; }
  [[nodiscard]] Size size() const { return size_; }
  [[nodiscard]] bool told_position() const { return told_position_; }
  Bytes take_answers() { return std::exchange(answers_, {}); }
  void set_host_colors(HostColors colors) { host_colors_ = colors; }

 private:
  /// The main or the alternate screen, and what terminals keep for each of them.
  struct Page {
    Grid grid;
    Pen saved;
    KeyboardFlags keyboard;
  };

  // ParserEvents
  void ascii(std::string_view text) override;
  void character(char32_t code_point) override;
  void control(std::uint8_t code) override;
  void escape(char intermediate, char final) override;
  void sequence(const Sequence& sequence) override;
  void command(std::string_view payload) override;
  void device_control(std::string_view payload) override;

  // Printing (terminal.cc)
  void put(std::uint32_t glyph, bool wide);
  void join(char32_t code_point);
  void wrap();
  void advance(std::size_t columns);
  void sweep_glyphs();

  // Moving (terminal.cc)
  [[nodiscard]] Page& page() { return pages_[alternate_ ? 1 : 0]; }
  [[nodiscard]] const Page& page() const { return pages_[alternate_ ? 1 : 0]; }
  [[nodiscard]] Grid& grid() { return page().grid; }
  void move(std::int32_t row, std::int32_t column);
  void move_within_origin(std::int32_t row, std::int32_t column);
  void move_rows(std::int32_t count);
  void line_feed();
  void reverse_line_feed();
  void scroll_up(std::size_t count);
  void scroll_down(std::size_t count);
  void keep_in_scrollback(std::size_t rows);
  void tab(std::int32_t count);
  void save_pen();
  void restore_pen();
  void show_alternate(bool on, bool with_pen);
  void reset();
  void soft_reset();

  // Control sequences (sequences.cc, switches.cc)
  bool moving_sequence(const Sequence& sequence);
  bool editing_sequence(const Sequence& sequence);
  void other_sequence(const Sequence& sequence);
  [[nodiscard]] std::size_t erase_from() const;
  void erase_in_display(std::uint16_t what);
  void erase_in_line(std::uint16_t what);
  void insert_or_delete_lines(const Sequence& sequence);
  void repeat(std::size_t count);
  void set_margins(const Sequence& sequence);
  void clear_tabs(std::uint16_t what);
  void switch_modes(const Sequence& sequence, bool on);
  void switch_private_mode(std::uint16_t number, bool on);
  void change_keyboard(const Sequence& sequence);
  void window_operation(const Sequence& sequence);

  // Questions (answers.cc)
  void answer(std::string_view text);
  void report_status(const Sequence& sequence);
  void report_mode(const Sequence& sequence);
  void report_color(std::string_view number, std::uint16_t color, std::uint32_t standard);
  [[nodiscard]] int mode_state(std::uint16_t number) const;

  // Commands (commands.cc)
  void set_colors(std::uint16_t which, std::string_view values);
  void set_palette(std::string_view pairs);
  void reset_palette(std::string_view indexes);

  Size size_;
  Limits limits_;
  Parser parser_;
  GlyphTable glyphs_;
  std::array<Page, 2> pages_;
  bool alternate_ = false;
  Pen pen_;
  Modes modes_;
  std::uint16_t top_ = 0;  ///< the scroll region: rows [top_, bottom_)
  std::uint16_t bottom_ = 0;
  std::vector<bool> tabs_;
  std::string title_;
  std::vector<std::string> titles_;  ///< pushed ones
  Palette palette_;
  Scrollback scrollback_;
  bool scrollback_open_ = false;  ///< its last line has no end yet
  Bytes answers_;
  HostColors host_colors_;
  std::optional<std::uint32_t> last_glyph_;  ///< printed just now, with nothing but text since
  bool last_is_wide_ = false;
  bool told_position_ = false;
  bool joiner_ = false;  ///< the last glyph ends with a zero width joiner
};

/// One every eight columns.
std::vector<bool> standard_tabs(std::size_t columns);
/// The row as text with SGR sequences; see Scrollback.
void render_row(std::string& text, const Row& row, std::size_t columns, const GlyphTable& glyphs);

}  // namespace belljar::screen
