// DiskWatch: how much a jar adds to the disk. No rootless means of the kernel bounds that, so it is measured:
// once a minute, and at once when the file system has lost the room that is left to the jar. In between a jar
// can pass its limit. What can't be measured counts as a limit that is not held: that is an error, never
// "nothing was added".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "keeper/tree_size.h"
#include "os/fd.h"
#include "rt/clock.h"

namespace belljar::keeper {

/// Where a jar can write to disk.
struct DiskPlaces {
  std::vector<std::string> own;      ///< the jar's directories: all in them counts
  std::vector<std::string> growing;  ///< others: by how much they have grown since begin()
  pid_t first = 0;  ///< the jar's first process: files without a name that are open below it count; or 0
  os::Fd users;     ///< the jar's user namespace, whose root may look where its user may not; or invalid
};

struct DiskBounds {
  TreeBounds tree;                                          ///< of each place
  std::size_t descriptors = 250'000;                        ///< of the jar's processes, that are looked at
  rt::Duration longest = std::chrono::minutes(10);          ///< that one measurement may take
  unsigned attempts = 4;                                    ///< that may fail one after the other
  rt::Duration between_attempts = std::chrono::seconds(1);  ///< doubled each time
};

class DiskWatch {
 public:
  DiskWatch(DiskPlaces places, std::uint64_t limit, DiskBounds bounds = {})
      : places_(std::move(places)), limit_(limit), bounds_(bounds) {}

  /// Takes what is there before the jar adds to it. Must be called once, in a fiber, before anything of the
  /// jar runs. `cancelled` when `given_up` says so meanwhile.
  Result<void> begin(const std::function<bool()>& given_up);

  /// Waits until the limit is passed, and answers the bytes that the jar takes then; an error once that could
  /// not be measured `attempts` times in a row, of which the first is told to `trouble`. To be called again
  /// once that was seen to. Must be called in a fiber; measuring is the work of a child with the lowest
  /// priority, and bounded memory.
  Result<std::uint64_t> await_excess(const std::function<void(const Error&)>& trouble);

 private:
  /// As the child tells it.
  struct Measured {
    std::uint64_t own = 0;
    std::uint64_t growing = 0;
    bool complete = true;
  };
  enum class Priority : std::uint8_t { usual, lowest };
  Result<Measured> measure(Priority priority, const std::function<bool()>& given_up);
  [[nodiscard]] Measured measure_all() const;
  Result<std::uint64_t> look();
  Result<std::uint64_t> look_patiently(const std::function<void(const Error&)>& trouble);
  [[nodiscard]] std::uint64_t free_room() const;

  DiskPlaces places_;
  std::uint64_t limit_;
  DiskBounds bounds_;
  std::uint64_t growing_before_ = 0;
  rt::Duration took_{};
};

}  // namespace belljar::keeper
