// What has scrolled off the top of a screen: lines as text with their colours, in a bounded number of bytes.
//
// Every byte ever written has a position, counted from the first one; old ones are dropped a block at a time.
// A reader that follows keeps the position where it stopped. Lines end with '\n'; one that was wrapped at the
// right edge goes on without. Besides text there are only SGR sequences, and every line ends without any in
// force, so that reading may begin at any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace belljar::screen {

class Scrollback {
 public:
  /// Holds at most about `bound` bytes (and one block more, or a row where that is longer).
  explicit Scrollback(std::size_t bound) : bound_(bound) {}

  /// Adds bytes of a line, a whole one or a part that ends at the right edge. Never cut: the second half of a
  /// sequence or of a character would be read as something else. So a row is what bounds it, columns times
  /// the most that a cell renders to.
  void append(std::string_view rendered);
  /// Forgets all lines; positions go on.
  void clear();

  /// Position of the oldest byte that is still there, and of the next one to come.
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }

  /// At most `most` bytes from `position` on (from begin() where that is gone); empty at end(). Ends behind a
  /// complete line where there is one.
  [[nodiscard]] std::string read(std::uint64_t position, std::size_t most) const;
  /// The last lines, at most `most` bytes of them; begins with a whole line, and is empty where the last
  /// one alone is longer.
  [[nodiscard]] std::string tail(std::size_t most) const;

  /// Bytes of memory that the lines take.
  [[nodiscard]] std::size_t memory() const;

 private:
  std::size_t bound_;
  std::deque<std::string> blocks_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

/// `rendered` without its SGR sequences.
std::string plain_text(std::string_view rendered);

}  // namespace belljar::screen
