#include "gateway/link.h"

#include <algorithm>
#include <array>

#include <sys/socket.h>

#include "base/log.h"

namespace belljar::gateway {

namespace {

/// The only message of a link channel: one byte, with the link's socket.
constexpr std::array<std::uint8_t, 1> kNewLink = {1};
constexpr auto kHandOver = std::chrono::seconds(5);

bool is_stream_socket(int fd) {
  int type = 0;
  int domain = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return false;
  size = sizeof domain;
  if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return false;
  return type == SOCK_STREAM && domain == AF_UNIX;
}

}  // namespace

Link::Link(std::unique_ptr<io::Stream> stream)
    : stream_(std::move(stream)),
      reader_(std::make_unique<io::BufferedReader>(*stream_, kMaxHead + kFrameHeader)) {}

Result<std::optional<Frame>> Link::receive(rt::Deadline deadline) {
  if (stream_ == nullptr) return Error(ErrorCode::closed, "the link is closed");
  stream_->set_read_deadline(deadline);
  auto start = TRY(reader_->peek(kFrameHeader));
  if (start.empty()) return std::optional<Frame>{};
  if (start.size() < kFrameHeader) return Error(ErrorCode::closed, "the link ended within a frame");
  auto header = TRY(decode_header(start.first(kFrameHeader)));
  auto whole = TRY(reader_->peek(kFrameHeader + header.length));
  if (whole.size() < kFrameHeader + header.length)
    return Error(ErrorCode::closed, "the link ended within a frame");
  auto frame = TRY(decode_payload(header, whole.subspan(kFrameHeader, header.length)));
  reader_->consume(kFrameHeader + header.length);
  return std::optional<Frame>(std::move(frame));
}

Result<Frame> Link::receive_frame(rt::Deadline deadline) {
  auto frame = TRY(receive(deadline));
  if (!frame) return Error(ErrorCode::closed, "the other side of the link is gone");
  return std::move(*frame);
}

Result<void> Link::send(const Frame& frame, rt::Deadline deadline) {
  if (stream_ == nullptr) return Error(ErrorCode::closed, "the link is closed");
  auto bytes = encode(frame);
  TRY(decode_header(BytesView(bytes).first(kFrameHeader)).context("sending a frame"));
  stream_->set_write_deadline(deadline);
  TRY(stream_->write(bytes));
  return stream_->flush();
}

Result<void> Link::send_body(BytesView bytes, rt::Deadline deadline) {
  while (!bytes.empty()) {
    auto part = bytes.first(std::min(bytes.size(), kMaxChunk));
    TRY(send(Body{Bytes(part.begin(), part.end())}, deadline));
    bytes = bytes.subspan(part.size());
  }
  return {};
}

void Link::close() {
  reader_.reset();
  stream_.reset();
}

Result<std::unique_ptr<Link>> LinkOpener::open() {
  if (!open_) return Error(ErrorCode::closed, "the next process of the gateway is gone");
  auto pair = TRY(os::create_socket_pair(SOCK_STREAM));
  auto stream = TRY(io::open_fd_stream(std::move(pair.first)));
  std::array<int, 1> handed = {pair.second.get()};
  auto sent = channel_.send(kNewLink, handed, rt::Deadline::after(kHandOver));
  if (!sent.ok()) {
    if (sent.error().code() == ErrorCode::closed) open_ = false;
    return std::move(sent).error();
  }
  return std::make_unique<Link>(std::move(stream));
}

Result<std::unique_ptr<Link>> LinkListener::accept() {
  while (true) {
    auto message = TRY(channel_.receive(rt::Deadline::never()));
    if (!message) return std::unique_ptr<Link>();
    if (message->fds.size() != 1 || !is_stream_socket(message->fds[0].get())) {
      log::warning("a message on a link channel that hands over no link");
      continue;
    }
    return std::make_unique<Link>(TRY(io::open_fd_stream(std::move(message->fds[0]))));
  }
}

}  // namespace belljar::gateway
