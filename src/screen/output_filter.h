// OutputFilter: what of a jar's output reaches the terminal of the host it is attached to.
//
// A terminal obeys what it is shown: it types answers, fills the clipboard, opens files, runs what its
// extensions offer. So nothing passes but what Screen knows and what is listed in docs/adr/0008, written anew
// from its parsed form: what the host's terminal reads is never open to a second reading. No sequence that
// makes it answer passes; the jar is answered by Screen. Text is passed at once; only what is not yet decided
// is held back: a sequence that isn't complete and a character that isn't whole, within a bound.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"

namespace belljar::screen {

/// May a program set the host's clipboard (OSC 52)? Reading it is never possible.
enum class Clipboard : std::uint8_t {
  off,
  apart,  ///< kept for take_clipboard(): to whom it is shown, its owner decides
  on,     ///< with everything else
};

struct OutputPolicy {
  Clipboard clipboard = Clipboard::apart;
  std::size_t clipboard_bytes = 96 << 10;  ///< of text; more is dropped as a whole
  bool lines_only = false;    ///< text, colours and moves within a line: nothing that outlasts them
  bool styles_only = false;   ///< text, line ends and colours, and not even moves
  bool titles = true;         ///< OSC 0, 1, 2
  bool notifications = true;  ///< OSC 9, 99, 777;notify and the bell
};

/// One for each terminal of a jar, whatever number of hosts is shown what passes: what it holds back belongs
/// to all of them.
class OutputFilter {
 public:
  explicit OutputFilter(OutputPolicy policy = {});
  OutputFilter(OutputFilter&&) noexcept;
  OutputFilter& operator=(OutputFilter&&) noexcept;
  ~OutputFilter();

  /// Appends to `shown` what of `output` passes.
  void feed(BytesView output, Bytes& shown);
  /// What sets the clipboard (Clipboard::apart) since it was last taken; to be shown behind what passed.
  Bytes take_clipboard();

 private:
  class Sieve;
  std::unique_ptr<Sieve> sieve_;
};

}  // namespace belljar::screen
