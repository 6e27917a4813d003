// Link: frames over a stream (exchange.h); and the channels that links are handed over on.
#pragma once

#include <memory>
#include <optional>

#include "gateway/exchange.h"
#include "io/buffered.h"
#include "io/fd_stream.h"
#include "io/stream.h"

namespace belljar::gateway {

/// One fiber receives and one sends at a time. The stream's own buffers are the backpressure: send() waits
/// while the other side does not read.
class Link {
 public:
  explicit Link(std::unique_ptr<io::Stream> stream);

  /// The next frame; nothing when the other side closed between two frames, `malformed` for anything else
  /// that is not one, `timed_out` past the deadline.
  Result<std::optional<Frame>> receive(rt::Deadline deadline);
  /// The next frame, where the end of the link is an error (`closed`).
  Result<Frame> receive_frame(rt::Deadline deadline);
  Result<void> send(const Frame& frame, rt::Deadline deadline);
  /// As Body frames, as many as it takes.
  Result<void> send_body(BytesView bytes, rt::Deadline deadline);
  /// Both directions, at once: the other side reads the end and its writes fail.
  void close();
  [[nodiscard]] bool is_open() const { return stream_ != nullptr; }

 private:
  std::unique_ptr<io::Stream> stream_;
  std::unique_ptr<io::BufferedReader> reader_;
};

/// The asking side's end of a channel between two gateway processes: makes a link and hands the other end
/// over.
class LinkOpener {
 public:
  explicit LinkOpener(io::MessageSocket channel) : channel_(std::move(channel)) {}
  /// `closed` when the process on the other side is gone.
  Result<std::unique_ptr<Link>> open();
  /// Whether the other side is still there, as far as is known.
  [[nodiscard]] bool is_open() const { return open_; }

 private:
  io::MessageSocket channel_;
  bool open_ = true;
};

/// The answering side's end.
class LinkListener {
 public:
  explicit LinkListener(io::MessageSocket channel) : channel_(std::move(channel)) {}
  /// The next link; nothing when the asking process is gone. A message that hands over anything but one
  /// stream socket is dropped.
  Result<std::unique_ptr<Link>> accept();

 private:
  io::MessageSocket channel_;
};

}  // namespace belljar::gateway
