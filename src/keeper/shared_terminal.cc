#include "keeper/shared_terminal.h"

#include <algorithm>
#include <utility>

#include "io/fd_stream.h"
#include "keeper/protocol.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMaxWaiting = 1U << 20;    // bytes for one viewer
constexpr std::size_t kMaxHistory = 256U << 10;  // bytes
constexpr std::size_t kMaxTyped = 8U << 20;      // bytes that the program has not read
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

}  // namespace

// --- Viewer

Result<std::optional<Bytes>> Viewer::next() {
  while (true) {
    if (!why_.empty()) return std::optional<Bytes>{};
    if (waiting_.empty() && behind_) {
      behind_ = false;
      waiting_ = terminal_.redraw();
    }
    if (!waiting_.empty()) {
      auto piece = take_front(waiting_, kMaxPiece);
      room_.wake_all();
      return std::optional<Bytes>(std::move(piece));
    }
    if (ended_) return std::optional<Bytes>{};
    TRY(more_.wait(rt::Deadline::never()));
  }
}

void Viewer::send_away(std::string why) {
  why_ = std::move(why);
  more_.wake_all();
  room_.wake_all();
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
      set_size_(std::move(set_size)) {}

SharedTerminal::~SharedTerminal() { CHECK(viewers_.empty()); }

std::shared_ptr<Viewer> SharedTerminal::attach(jar::TerminalSize size, bool from_start) {
  auto viewer = std::make_shared<Viewer>(*this, size);
  viewer->behind_ = !from_start;
  viewer->ended_ = ended_;
  viewers_.push_back(viewer);
  return viewer;
}

Result<void> SharedTerminal::show(Viewer& viewer, BytesView bytes) {
  if (viewer.behind_ || !viewer.why_.empty()) return {};
  auto patience = rt::Deadline::after(kPatience);
  while (viewer.waiting_.size() + bytes.size() > kMaxWaiting) {
    auto room = viewer.room_.wait(patience);
    if (!room && room.error().code() != ErrorCode::timed_out) return room;
    if (viewer.left_) return {};
    if (!room) {
      viewer.waiting_.clear();
      viewer.behind_ = true;
      return {};
    }
  }
  append(viewer.waiting_, bytes);
  viewer.more_.wake_all();
  return {};
}

Result<void> SharedTerminal::carry_output() {
  Bytes buffer(kMaxPiece);
  Result<void> failed;
  while (true) {
    auto count = reading_->read_some(buffer);
    if (!count) {
      failed = std::move(count).error();
      break;
    }
    if (*count == 0) break;
    auto bytes = BytesView(buffer).first(*count);
    append(history_, bytes);
    if (history_.size() > 2 * kMaxHistory) (void)take_front(history_, history_.size() - kMaxHistory);
    auto viewers = viewers_;  // one may leave while another is waited for
    for (const auto& viewer : viewers)
      if (!viewer->left_) TRY(show(*viewer, bytes));
  }
  ended_ = true;
  for (const auto& viewer : viewers_) {
    viewer->ended_ = true;
    viewer->more_.wake_all();
  }
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
  set_size_(size);
}

void SharedTerminal::send_others_away(const Viewer* except, const std::string& why) {
  for (const auto& viewer : viewers_)
    if (viewer.get() != except) viewer->send_away(why);
}

std::string SharedTerminal::text() const { return std::string(as_text(history_)); }

Bytes SharedTerminal::redraw() const {
  auto bytes = to_bytes("\x1b[2J\x1b[H");
  append(bytes, history_);
  return bytes;
}

}  // namespace belljar::keeper
