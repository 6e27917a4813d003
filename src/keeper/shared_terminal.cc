#include "keeper/shared_terminal.h"

#include <algorithm>
#include <utility>

#include "io/fd_stream.h"
#include "keeper/protocol.h"
#include "rt/loop.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMaxWaiting = 1U << 20;  // bytes for one viewer
constexpr std::size_t kHistory = 256U << 10;   // bytes of scrollback for who attaches
constexpr std::size_t kMaxTyped = 8U << 20;    // bytes that the program has not read
/// How long after a key or a click a program may set the clipboard of the terminal it came from.
constexpr auto kActCounts = std::chrono::seconds(10);
/// A viewer of another size is shown at most so many views a second as there is room for this.
constexpr auto kBetweenViews = std::chrono::milliseconds(40);
/// How long the program waits for one viewer that is full: a terminal on this machine is never that slow.
constexpr auto kPatience = std::chrono::milliseconds(100);

void append(Bytes& to, BytesView bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

/// The first `count` bytes, taken away.
Bytes take_front(Bytes& from, std::size_t count) {
  auto end = from.begin() + static_cast<std::ptrdiff_t>(std::min(count, from.size()));
  Bytes taken(from.begin(), end);
  from.erase(from.begin(), end);
  return taken;
}

screen::Size screen_size(jar::TerminalSize size) { return {.rows = size.rows, .columns = size.columns}; }

}  // namespace

// --- Viewer

Result<std::optional<Bytes>> Viewer::next() {
  while (!left_) {
    if (waiting_.empty() && behind_) {
      if (!terminal_.follows(*this)) TRY(await_next_view());
      if (left_ || !std::exchange(behind_, false)) continue;
      waiting_ = terminal_.redraw(*this);
    }
    if (waiting_.empty() && (sent_away_ || ended_) && !std::exchange(said_farewell_, true))
      waiting_ = terminal_.farewell(*this);
    if (!waiting_.empty()) {
      auto piece = take_front(waiting_, kMaxPiece);
      room_.wake_all();
      return std::optional<Bytes>(std::move(piece));
    }
    if (sent_away_ || ended_) break;
    TRY(more_.wait(rt::Deadline::never()));
  }
  return std::optional<Bytes>{};
}

/// The program isn't waited for, nor drawn at every step.
Result<void> Viewer::await_next_view() {
  auto now = std::chrono::steady_clock::now();
  if (now < viewed_ + kBetweenViews)
    TRY(rt::sleep(std::chrono::duration_cast<rt::Duration>(viewed_ + kBetweenViews - now)));
  viewed_ = std::chrono::steady_clock::now();
  return {};
}

void Viewer::send_away(std::string why) {
  sent_away_ = true;
  why_ = std::move(why);
  behind_ = false;
  waiting_.clear();
  more_.wake_all();
  room_.wake_all();
}

void Viewer::finish() {
  ended_ = true;
  more_.wake_all();
}

/// What waits is of no use any more: the screen as it then is will be shown.
void Viewer::fall_behind() {
  waiting_.clear();
  behind_ = true;
  more_.wake_all();
}

void Viewer::leave() {
  left_ = true;
  send_away("left");
  std::erase_if(terminal_.viewers_, [this](const auto& viewer) { return viewer.get() == this; });
}

void Viewer::resize(jar::TerminalSize size) {
  size_ = size;
  terminal_.resize(size);
}

void Viewer::type(BytesView bytes) {
  terminal_.resize(size_);  // who types is looked at
  if (watch_.feed(bytes)) acted_ = std::chrono::steady_clock::now();
  terminal_.type(bytes);
}

// --- SharedTerminal

Result<std::unique_ptr<SharedTerminal>> SharedTerminal::open(
    os::Fd master, jar::TerminalSize size, std::function<void(jar::TerminalSize)> set_size) {
  auto second = TRY(master.duplicate());
  auto reading = TRY(io::open_fd_stream(std::move(master)));
  auto writing = TRY(io::open_fd_stream(std::move(second)));
  return std::unique_ptr<SharedTerminal>(
      new SharedTerminal(std::move(reading), std::move(writing), size, std::move(set_size)));
}

SharedTerminal::SharedTerminal(std::unique_ptr<io::Stream> reading, std::unique_ptr<io::Stream> writing,
                               jar::TerminalSize size, std::function<void(jar::TerminalSize)> set_size)
    : reading_(std::move(reading)),
      writing_(std::move(writing)),
      size_(size),
      set_size_(std::move(set_size)),
      screen_(screen_size(size)) {}

SharedTerminal::~SharedTerminal() { CHECK(viewers_.empty()); }

std::shared_ptr<Viewer> SharedTerminal::attach(jar::TerminalSize size, bool from_start) {
  auto viewer = std::make_shared<Viewer>(*this, size);
  viewer->behind_ = !from_start;
  viewer->saw_start_ = from_start;
  viewer->ended_ = ended_;
  viewers_.push_back(viewer);
  return viewer;
}

Result<void> SharedTerminal::show(Viewer& viewer, BytesView bytes) {
  // While another viewer was waited for this one may have been shown the screen with these bytes in it.
  if (viewer.behind_ || viewer.sent_away_ || viewer.seen_ == pieces_) return {};
  auto patience = rt::Deadline::after(kPatience);
  while (viewer.waiting_.size() + bytes.size() > kMaxWaiting) {
    auto room = viewer.room_.wait(patience);
    if (!room && room.error().code() != ErrorCode::timed_out) return room;
    if (viewer.left_ || viewer.sent_away_) return {};
    if (!room || viewer.behind_) {
      viewer.fall_behind();
      return {};
    }
  }
  append(viewer.waiting_, bytes);
  viewer.more_.wake_all();
  return {};
}

/// Whose user did something last, and not long ago: nobody else asked for a copy.
const Viewer* SharedTerminal::clipboard_viewer() const {
  const Viewer* last = nullptr;
  for (const auto& viewer : viewers_)
    if (viewer->acted_ && (last == nullptr || *viewer->acted_ > *last->acted_)) last = viewer.get();
  bool counts = last != nullptr && std::chrono::steady_clock::now() - *last->acted_ <= kActCounts;
  return counts ? last : nullptr;
}

Result<void> SharedTerminal::carry_output() {
  Bytes buffer(kMaxPiece);
  Bytes shown;
  Result<void> failed;
  while (true) {
    auto count = reading_->read_some(buffer);
    if (!count) {
      failed = std::move(count).error();
      break;
    }
    if (*count == 0) break;
    auto bytes = BytesView(buffer).first(*count);
    ++pieces_;
    screen_.feed(bytes);
    if (auto answers = screen_.take_answers(); !answers.empty()) type(answers);
    shown.clear();
    filter_.feed(bytes, shown);
    auto clipboard = filter_.take_clipboard();
    const auto* copies = clipboard.empty() ? nullptr : clipboard_viewer();
    auto viewers = viewers_;  // one may leave while another is waited for
    for (const auto& viewer : viewers) {
      if (!follows(*viewer) || (!viewer->in_step_ && screen_.told_position())) viewer->fall_behind();
      auto piece = shown;
      if (viewer.get() == copies) append(piece, clipboard);
      if (!viewer->left_ && !piece.empty()) TRY(show(*viewer, piece));
    }
  }
  ended_ = true;
  for (const auto& viewer : viewers_)
    viewer->finish();
  return failed;
}

Result<void> SharedTerminal::carry_input() {
  while (true) {
    while (typed_.empty())
      TRY(typed_more_.wait(rt::Deadline::never()));
    auto piece = take_front(typed_, kMaxPiece);
    TRY(writing_->write(piece));
  }
}

void SharedTerminal::type(BytesView bytes) {
  if (typed_.size() + bytes.size() > kMaxTyped) return;  // the program reads nothing: lost, as on any line
  append(typed_, bytes);
  typed_more_.wake_all();
}

void SharedTerminal::resize(jar::TerminalSize size) {
  if (size == size_) return;
  size_ = size;
  screen_.resize(screen_size(size));
  // A terminal moves its lines at a new size as it thinks best.
  for (const auto& viewer : viewers_)
    if (viewer->in_step_ || !follows(*viewer)) viewer->fall_behind();
  set_size_(size);
}

void SharedTerminal::send_others_away(const Viewer* except, const std::string& why) {
  for (const auto& viewer : viewers_)
    if (viewer.get() != except) viewer->send_away(why);
}

std::string SharedTerminal::text() const {
  const auto& lines = screen_.scrollback();
  auto text = screen::plain_text(lines.read(0, static_cast<std::size_t>(lines.end() - lines.begin()))) +
              screen_.text();
  return text.substr(0, text.find_last_not_of('\n') + 1) + "\n";
}

Bytes SharedTerminal::redraw(Viewer& viewer) const {
  viewer.seen_ = pieces_;
  Bytes bytes;
  if (!std::exchange(viewer.in_step_, true)) bytes = screen::scroll_away(screen_size(viewer.size_));
  if (follows(viewer)) {
    bool has_history = std::exchange(viewer.has_history_, true) || viewer.saw_start_;
    append(bytes, screen_.redraw(has_history ? 0 : kHistory));
    viewer.views_alternate_.reset();
  } else {
    bool afresh = viewer.views_alternate_ != screen_.alternate();
    append(bytes, screen_.view(screen_size(viewer.size_), afresh));
    viewer.views_alternate_ = screen_.alternate();
  }
  return bytes;
}

/// Nothing for a viewer that saw a program begin and end in order.
Bytes SharedTerminal::farewell(Viewer& viewer) const {
  if (!viewer.in_step_ && !viewer.sent_away_ && screen_.is_plain()) return {};
  Bytes bytes;
  if (!viewer.in_step_) bytes = redraw(viewer);
  append(bytes, screen_.farewell());
  return bytes;
}

}  // namespace belljar::keeper
