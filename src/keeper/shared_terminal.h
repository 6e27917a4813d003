// SharedTerminal: the terminal of one program in a jar, as the keeper holds it: one master side, any number
// of viewers. What the program writes goes to all of them, what they type goes to the program.
//
// The screen is kept as a model (src/screen), which also answers what programs ask of their terminal. A
// viewer that comes later is shown that screen, to the cell; what follows passes the output filter, one for
// all of them. The starter's view goes on where its terminal's cursor is, as without belljar, until something
// needs both to agree on rows: then it is shown the screen anew.
//
// The size is that of who did something last. The output makes sense on a terminal of this size only, so
// viewers of another one are shown what the model has of it, some times a second.
//
// A viewer that doesn't take what it is shown never holds the program up for longer than a moment: what waits
// for it is bounded, then dropped, and it is shown the screen anew once it takes again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "io/stream.h"
#include "jar/jar_spec.h"
#include "os/fd.h"
#include "rt/channel.h"
#include "screen/input_watch.h"
#include "screen/output_filter.h"
#include "screen/screen.h"

namespace belljar::keeper {

class SharedTerminal;

/// One attached client. The terminal outlives it.
class Viewer {
 public:
  Viewer(SharedTerminal& terminal, jar::TerminalSize size) : terminal_(terminal), size_(size) {}

  /// The next bytes to show, at most a piece; nothing once the terminal has ended or the viewer was sent
  /// away. The last ones give the viewer's terminal back as it was.
  Result<std::optional<Bytes>> next();
  /// Nothing further is shown. `why` is for the person, empty when that is who wants it.
  void send_away(std::string why);
  /// Shows what waits and no more, as at the terminal's end.
  void finish();
  /// To be called by who attached it, at its end.
  void leave();
  [[nodiscard]] bool is_sent_away() const { return sent_away_; }
  [[nodiscard]] const std::string& why() const { return why_; }
  /// Its own size; becomes that of the terminal.
  void resize(jar::TerminalSize size);
  void type(BytesView bytes);

 private:
  friend class SharedTerminal;
  SharedTerminal& terminal_;
  jar::TerminalSize size_;
  void fall_behind();
  Result<void> await_next_view();

  screen::InputWatch watch_;
  std::optional<std::chrono::steady_clock::time_point> acted_;  ///< the user, here, last
  Bytes waiting_;
  bool behind_ = false;     ///< of what the terminal shows; then the whole screen comes next
  std::uint64_t seen_ = 0;  ///< the piece of output that its last redraw contains
  bool in_step_ = false;    ///< its terminal shows the screen, in the same rows where it is of the same size
  bool has_history_ = false;
  std::optional<bool> views_alternate_;  ///< it is shown views: which of the screens
  std::chrono::steady_clock::time_point viewed_;
  bool saw_start_ = false;
  bool ended_ = false;
  bool sent_away_ = false;
  bool said_farewell_ = false;
  bool left_ = false;
  std::string why_;
  rt::WaitList more_;  ///< next() waits
  rt::WaitList room_;  ///< the terminal waits
};

class SharedTerminal {
 public:
  /// Takes the master side over. `set_size` tells the kernel of a new size.
  static Result<std::unique_ptr<SharedTerminal>> open(os::Fd master, jar::TerminalSize size,
                                                      std::function<void(jar::TerminalSize)> set_size);
  ~SharedTerminal();
  SharedTerminal(const SharedTerminal&) = delete;
  SharedTerminal& operator=(const SharedTerminal&) = delete;

  /// Carries what the program writes until its side is closed; then all viewers see the end.
  Result<void> carry_output();
  /// Carries what was typed; to be cancelled.
  Result<void> carry_input();

  /// `from_start`: it sees what is written from now on; else the screen as it is comes first. The terminal
  /// keeps its size.
  std::shared_ptr<Viewer> attach(jar::TerminalSize size, bool from_start);
  [[nodiscard]] const screen::Screen& screen() const { return screen_; }
  /// What has been shown so far, bounded: the scrollback and the screen, as plain text.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::size_t viewers() const { return viewers_.size(); }
  [[nodiscard]] jar::TerminalSize size() const { return size_; }
  /// All viewers but `except` are sent away.
  void send_others_away(const Viewer* except, const std::string& why);

 private:
  friend class Viewer;
  SharedTerminal(std::unique_ptr<io::Stream> reading, std::unique_ptr<io::Stream> writing,
                 jar::TerminalSize size, std::function<void(jar::TerminalSize)> set_size);
  Result<void> show(Viewer& viewer, BytesView bytes);
  [[nodiscard]] const Viewer* clipboard_viewer() const;
  [[nodiscard]] bool follows(const Viewer& viewer) const { return viewer.size_ == size_; }
  [[nodiscard]] Bytes redraw(Viewer& viewer) const;
  [[nodiscard]] Bytes farewell(Viewer& viewer) const;
  void resize(jar::TerminalSize size);
  void type(BytesView bytes);

  std::unique_ptr<io::Stream> reading_;
  std::unique_ptr<io::Stream> writing_;
  jar::TerminalSize size_;
  std::function<void(jar::TerminalSize)> set_size_;
  std::vector<std::shared_ptr<Viewer>> viewers_;
  screen::Screen screen_;
  screen::OutputFilter filter_;
  std::uint64_t pieces_ = 0;  ///< of output, so far
  Bytes typed_;
  rt::WaitList typed_more_;
  bool ended_ = false;
};

}  // namespace belljar::keeper
