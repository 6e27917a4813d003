// Recorder: writes events down, before what they say takes effect (I10).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "io/fd_stream.h"
#include "ledger/event.h"
#include "ledger/protocol.h"
#include "os/fd.h"
#include "rt/channel.h"

namespace belljar::ledger {

class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Returns once the ledger has the event as durability asks. A failure means that what the event says must
  /// not happen: the ledger refused it (limit_exceeded: its disk is full), is gone (closed), or did not
  /// answer in time.
  virtual Result<void> record(const Event& event, Durability durability) = 0;
};

/// Over an appender's socket, for fibers: any number may record at a time, each waits for its own
/// acknowledgement.
class FiberRecorder final : public Recorder {
 public:
  /// Takes the socket over.
  static Result<std::unique_ptr<FiberRecorder>> open(os::Fd socket, rt::Duration patience = kPatience);
  Result<void> record(const Event& event, Durability durability) override;

  static constexpr rt::Duration kPatience = std::chrono::seconds(10);

 private:
  FiberRecorder(io::MessageSocket socket, rt::Duration patience)
      : socket_(std::move(socket)), patience_(patience) {}
  Result<void> wait_for(std::uint64_t id, rt::Deadline deadline);
  Result<void> receive_one(rt::Deadline deadline);

  io::MessageSocket socket_;
  rt::Duration patience_;
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, std::unique_ptr<Acknowledgement>> waiting_;  ///< null until it is there
  bool receiving_ = false;  ///< one of those who wait reads for all
  bool gone_ = false;
  rt::WaitList others_;
};

/// Over an appender's socket, for a process without a loop.
class BlockingRecorder final : public Recorder {
 public:
  /// Takes the socket over. `patience` bounds each wait, in milliseconds.
  static Result<std::unique_ptr<BlockingRecorder>> open(os::Fd socket, int patience = 10'000);
  Result<void> record(const Event& event, Durability durability) override;

 private:
  BlockingRecorder(os::Fd socket) : socket_(std::move(socket)) {}
  os::Fd socket_;
  std::uint64_t next_id_ = 1;
};

}  // namespace belljar::ledger
