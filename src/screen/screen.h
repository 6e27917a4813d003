// Screen: the terminal of a jar as a value. It is fed what programs write and knows what a terminal would
// show.
//
// It belongs to the keeper of a jar. The output is hostile: any bytes in any pieces cost bounded time and
// memory and are never an error; what this terminal does not know is ignored, as terminals do. It never does
// I/O.
//
// It is *the* terminal of its programs, whichever host terminals are attached: their questions (device
// attributes, cursor position, modes) are answered from here (take_answers), and what a host's terminal is
// shown is either redraw() or the same output through an OutputFilter, which passes what this model knows and
// nothing else. Follows ECMA-48, DEC STD 070 and xterm's ctlseqs as far as programs use them; widths are
// Unicode 15's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "screen/cell.h"
#include "screen/scrollback.h"

namespace belljar::screen {

/// Rows and columns; a Screen keeps them within 1 … kMostRows and 1 … kMostColumns.
struct Size {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;
  bool operator==(const Size&) const = default;
};
constexpr std::uint16_t kMostRows = 500;
constexpr std::uint16_t kMostColumns = 1000;

struct Limits {
  std::size_t scrollback = std::size_t{4} << 20;  ///< bytes
  std::size_t title = 256;                        ///< bytes
  std::size_t answers = 4096;                     ///< bytes that wait to be taken; more are not given
};

/// The colours of the terminal that shows it, as red·2¹⁶ + green·2⁸ + blue: what OSC 10 and 11 ask for.
struct HostColors {
  std::uint32_t foreground = 0xd0d0d0;
  std::uint32_t background = 0x000000;
};

struct Cursor {
  std::uint16_t row = 0;  ///< from 0
  std::uint16_t column = 0;
  bool visible = true;
  bool wraps_next = false;  ///< the last column is written; the next glyph goes to the next line
  std::uint8_t shape = 0;   ///< as DECSCUSR numbers them; 0 is the terminal's own
  bool operator==(const Cursor&) const = default;
};

class Screen {
 public:
  explicit Screen(Size size, Limits limits = {});
  Screen(Screen&&) noexcept;
  Screen& operator=(Screen&&) noexcept;
  ~Screen();

  /// Takes the next bytes that programs wrote; a sequence may be cut anywhere.
  void feed(BytesView output);
  /// What the terminal answers to what it was asked since: to be written to the program as if typed.
  [[nodiscard]] Bytes take_answers();

  /// The new size; the program is told by the kernel (TIOCSWINSZ). Lines that no longer fit go to the
  /// scrollback, as many as keep the cursor on the screen.
  void resize(Size size);
  [[nodiscard]] Size size() const;

  /// The bytes that show this very screen on a terminal of this size in whatever state: its modes are reset
  /// and its screen is cleared first (print empty lines before to keep what it showed). `history` bytes of
  /// scrollback are printed above, so that they are in the scrollback of the host's terminal. A Screen that
  /// is fed the redraw of another equals it but for what was pushed: titles.
  [[nodiscard]] Bytes redraw(std::size_t history = 0) const;
  /// What a terminal of another size is shown, as it can't follow the output: the part from the top left, or
  /// down to the cursor's row, that has room there. `afresh` where it does not show a view of the same screen
  /// (main or alternate) already. Nothing that follows may be output: another view, a redraw or a farewell.
  [[nodiscard]] Bytes view(Size size, bool afresh) const;
  /// The bytes that give a host's terminal back after a redraw or filtered output: every mode as at its
  /// start, the main screen, the cursor at the beginning of a line below all that is shown.
  [[nodiscard]] Bytes farewell() const;
  /// Is everything that a farewell resets as at a terminal's start? So programs that end in order leave it.
  [[nodiscard]] bool is_plain() const;
  /// Has a program ever asked where the cursor is? From then on it may rely on rows that a host's terminal
  /// shares only after a redraw.
  [[nodiscard]] bool told_position() const;

  [[nodiscard]] const Scrollback& scrollback() const;
  /// The text of the screen that programs without a full-screen mode write to, one line a row.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::string& title() const;
  [[nodiscard]] Cursor cursor() const;
  /// Is the alternate screen (that of full-screen programs) shown?
  [[nodiscard]] bool alternate() const;
  /// Does the program want what it draws shown only when it has finished (DECSET 2026)? A hint: whoever waits
  /// for the end of it must not wait long.
  [[nodiscard]] bool drawing() const;
  /// Has the program asked for pasted text to be marked (DECSET 2004)?
  [[nodiscard]] bool brackets_paste() const;

  void set_host_colors(HostColors colors);

  /// Cells, modes, everything that redraw() restores, as lines for people and comparisons.
  [[nodiscard]] std::string dump() const;
  /// The text of one cell (UTF-8, empty for the right half of a wide glyph) and its style.
  [[nodiscard]] std::string text_at(std::uint16_t row, std::uint16_t column) const;
  [[nodiscard]] Style style_at(std::uint16_t row, std::uint16_t column) const;

 private:
  class Terminal;
  std::unique_ptr<Terminal> terminal_;
};

/// Moves what a terminal of this size shows into its scrollback, so that a redraw takes nothing from it.
Bytes scroll_away(Size size);
/// A farewell to a terminal of which nothing is known, when its Screen is gone. The cursor may be anywhere.
Bytes last_resort();

}  // namespace belljar::screen
