#include "io/memory.h"

#include <algorithm>
#include <cstring>

#include "rt/channel.h"

namespace belljar::io {

Result<std::size_t> MemoryStream::read_some(std::span<std::uint8_t> buffer) {
  auto count = std::min({buffer.size(), chunk_, input_.size() - position_});
  if (count > 0) std::memcpy(buffer.data(), input_.data() + position_, count);
  position_ += count;
  return count;
}

Result<void> MemoryStream::write(BytesView bytes) {
  if (write_closed_) return Error(ErrorCode::closed, "the stream's writing side is closed");
  written_.insert(written_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> MemoryStream::close_write() {
  write_closed_ = true;
  return {};
}

namespace {

/// One direction of a pipe.
struct Direction {
  std::size_t capacity;
  Bytes buffer;  ///< Not read yet, from `start` on.
  std::size_t start = 0;
  bool ended = false;  ///< No more will be written.
  bool reader_gone = false;
  rt::WaitList readers;
  rt::WaitList writers;

  [[nodiscard]] std::size_t size() const { return buffer.size() - start; }
};

class PipeEnd final : public Stream {
 public:
  PipeEnd(std::shared_ptr<Direction> in, std::shared_ptr<Direction> out)
      : in_(std::move(in)), out_(std::move(out)) {}
  PipeEnd(const PipeEnd&) = delete;
  PipeEnd& operator=(const PipeEnd&) = delete;
  ~PipeEnd() override {
    in_->reader_gone = true;
    in_->writers.wake_all();
    end_output();
  }

  Result<std::size_t> read_some(std::span<std::uint8_t> buffer) override {
    if (read_deadline_.passed()) return Error(ErrorCode::timed_out, "timed out");
    while (in_->size() == 0 && !in_->ended)
      TRY(in_->readers.wait(read_deadline_));
    auto count = std::min(buffer.size(), in_->size());
    if (count > 0) std::memcpy(buffer.data(), in_->buffer.data() + in_->start, count);
    in_->start += count;
    if (in_->size() == 0) in_->buffer.clear(), in_->start = 0;
    in_->writers.wake_one();
    return count;
  }

  Result<void> write(BytesView bytes) override {
    if (write_deadline_.passed()) return Error(ErrorCode::timed_out, "timed out");
    if (out_->ended) return Error(ErrorCode::closed, "the stream's writing side is closed");
    while (!bytes.empty()) {
      while (out_->size() >= out_->capacity && !out_->reader_gone)
        TRY(out_->writers.wait(write_deadline_));
      if (out_->reader_gone) return Error(ErrorCode::closed, "the peer is gone");
      auto part = bytes.first(std::min(bytes.size(), out_->capacity - out_->size()));
      out_->buffer.erase(out_->buffer.begin(),
                         out_->buffer.begin() + static_cast<std::ptrdiff_t>(out_->start));
      out_->start = 0;
      out_->buffer.insert(out_->buffer.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      out_->readers.wake_one();
    }
    return {};
  }

  Result<void> close_write() override {
    end_output();
    return {};
  }

  void set_read_deadline(rt::Deadline deadline) override { read_deadline_ = deadline; }
  void set_write_deadline(rt::Deadline deadline) override { write_deadline_ = deadline; }

 private:
  void end_output() {
    out_->ended = true;
    out_->readers.wake_all();
  }

  std::shared_ptr<Direction> in_;
  std::shared_ptr<Direction> out_;
  rt::Deadline read_deadline_ = rt::Deadline::never();
  rt::Deadline write_deadline_ = rt::Deadline::never();
};

}  // namespace

std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> create_memory_pipe(std::size_t capacity) {
  CHECK(capacity > 0);
  auto forth = std::make_shared<Direction>();
  auto back = std::make_shared<Direction>();
  forth->capacity = back->capacity = capacity;
  return {std::make_unique<PipeEnd>(back, forth), std::make_unique<PipeEnd>(forth, back)};
}

}  // namespace belljar::io
