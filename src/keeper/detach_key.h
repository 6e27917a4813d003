// DetachKey: finds Ctrl-\ d in what is typed. A lone Ctrl-\ waits for the next key and is passed on with it.
// What is pasted (between the marks of bracketed paste) holds no keys.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace belljar::keeper {

class DetachKey {
 public:
  /// Appends to `passed` what goes to the program. True when the key was found: what follows it is dropped.
  bool feed(BytesView typed, Bytes& passed);

 private:
  /// How far a text has been seen, byte by byte.
  class Seen {
   public:
    explicit Seen(std::string_view text) : text_(text) {}
    /// True when this byte completes it.
    bool next(char byte);

   private:
    std::string_view text_;
    std::size_t count_ = 0;
  };

  std::string held_;  ///< a Ctrl-\ as it came, waiting for the next key
  bool pasting_ = false;
  Seen paste_begins_{"\x1b[200~"};
  Seen paste_ends_{"\x1b[201~"};
};

}  // namespace belljar::keeper
