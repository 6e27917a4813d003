// Waiting for a program that reads what strangers made: with an eye on the disk, the time, and what it says.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/result.h"
#include "image/room.h"
#include "os/fd.h"

namespace belljar::image {

/// What a program has written, as far as anybody will read it.
class Said {
 public:
  /// Reads what is there; false at the end. Whatever is above the bound is read and forgotten, but for the
  /// end.
  bool read_from(int pipe);
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Its last line, at most 300 bytes, of printable characters only.
  [[nodiscard]] std::string last_line() const;

 private:
  std::string text_;
};

struct Watched {
  int ended = -1;   ///< becomes readable when the program has ended, or when its owner must look
  int output = -1;  ///< read ends of pipes; -1: none
  int errors = -1;
  const RoomWatch* room = nullptr;
  std::string doing;  ///< "fetching docker://debian:12", for what is told every few seconds
  std::function<void(const std::string&)> tell;
  std::chrono::steady_clock::time_point deadline;
};

/// Returns when `ended` is readable. limit_exceeded and timed_out say why the program must be ended instead.
Result<void> watch(const Watched& watched, Said& output, Said& errors);

}  // namespace belljar::image
