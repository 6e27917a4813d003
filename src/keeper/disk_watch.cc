#include "keeper/disk_watch.h"

#include <algorithm>
#include <new>
#include <sstream>

#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "keeper/nameless_files.h"
#include "os/fork.h"
#include "os/pid.h"
#include "rt/deadline.h"
#include "rt/loop.h"

namespace belljar::keeper {

namespace {

constexpr auto kLook = std::chrono::seconds(2);    // at the file system's room: one system call
constexpr auto kSlow = std::chrono::seconds(60);   // between measurements that nothing asks for
constexpr int kPart = 20;                          // measuring takes at most one 20th of the time …
constexpr auto kRarest = std::chrono::minutes(5);  // … but for a jar that could so keep from being measured
constexpr rlim_t kMemory = 512U << 20;             // bytes that measuring may take on top of the keeper's

void take_lowest_priority() {
  constexpr int kLowest = 19, kThisProcess = 1, kIdle = 3 << 13;  // ioprio_set(2)
  (void)::setpriority(PRIO_PROCESS, 0, kLowest);
  (void)::syscall(SYS_ioprio_set, kThisProcess, 0, kIdle);
}

/// Names and directories are the jar's to choose: what they cost is no more than this.
bool bound_memory() {
  std::istringstream sizes(os::read_file("/proc/self/statm", 4096).value_or(""));
  rlim_t pages = 0;
  if (!(sizes >> pages)) return false;
  auto most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kMemory;
  struct rlimit address_space {
    most, most
  };
  std::set_new_handler([] { ::_exit(1); });
  return ::setrlimit(RLIMIT_AS, &address_space) == 0;
}

/// Waits for its end, or kills it: at the deadline, or when nobody wants to know any more.
Result<void> await_end(os::Pid& child, rt::Deadline deadline, const std::function<bool()>& given_up) {
  constexpr auto kSlice = std::chrono::milliseconds(200);
  while (true) {
    auto slice = given_up ? deadline.earlier(rt::Deadline::after(kSlice)) : deadline;
    auto ended = rt::await_readable(child.pidfd(), slice);
    if (!ended && ended.error().code() != ErrorCode::timed_out) return ended;
    if (!ended && deadline.passed()) return Error(ErrorCode::timed_out, "measuring took too long");
    if (!ended && given_up()) return Error(ErrorCode::cancelled, "nobody waits for it any more");
    if (!ended) continue;
    auto exit = TRY(child.wait());
    if (exit.shell_code() == 0) return {};
    return Error(ErrorCode::internal, "the process that measures ended before it was done, with code " +
                                          std::to_string(exit.shell_code()));
  }
}

}  // namespace

DiskWatch::Measured DiskWatch::measure_all() const {
  Measured measured;
  auto sum_up = [&](const std::vector<std::string>& places, std::uint64_t& sum) {
    for (const auto& place : places) {
      auto size = measure_tree(place, bounds_.tree);
      sum += size.bytes;
      measured.complete = measured.complete && size.complete;
    }
  };
  sum_up(places_.own, measured.own);
  sum_up(places_.growing, measured.growing);
  if (places_.first == 0) return measured;
  auto nameless = measure_nameless_files(places_.first, bounds_.descriptors);
  measured.own += nameless.bytes;
  measured.complete = measured.complete && nameless.complete;
  return measured;
}

Result<DiskWatch::Measured> DiskWatch::measure(Priority priority, const std::function<bool()>& given_up) {
  auto pipe = TRY(os::create_pipe());
  auto begun = rt::now();
  auto child = TRY(os::fork_process(os::Lifetime::parents, [&] {
    if (priority == Priority::lowest) take_lowest_priority();
    if (!bound_memory()) return 1;
    if (places_.users && ::setns(places_.users.get(), CLONE_NEWUSER) < 0) return 1;
    auto measured = measure_all();
    return ::write(pipe.second.get(), &measured, sizeof measured) == sizeof measured ? 0 : 1;
  }));
  pipe.second.reset();
  TRY(await_end(child, rt::Deadline::after(bounds_.longest), given_up));
  Measured measured;
  if (::read(pipe.first.get(), &measured, sizeof measured) != sizeof measured)
    return Error(ErrorCode::internal, "the process that measures said nothing");
  took_ = rt::now() - begun;
  return measured;
}

Result<void> DiskWatch::begin(const std::function<bool()>& given_up) {
  auto measured = TRY(measure(Priority::usual, given_up));
  if (!measured.complete) return Error(ErrorCode::limit_exceeded, "there are more files than are measured");
  growing_before_ = measured.growing;
  return {};
}

/// What the jar takes now. What could be seen of it may be too much already.
Result<std::uint64_t> DiskWatch::look() {
  auto measured = TRY(measure(Priority::lowest, {}));
  auto grown = measured.growing > growing_before_ ? measured.growing - growing_before_ : 0;
  auto taken = measured.own + grown;
  if (!measured.complete && taken <= limit_)
    return Error(ErrorCode::limit_exceeded, "it has more files, processes or open files than are looked at");
  return taken;
}

Result<std::uint64_t> DiskWatch::look_patiently(const std::function<void(const Error&)>& trouble) {
  auto pause = bounds_.between_attempts;
  for (unsigned attempt = 1;; ++attempt, pause *= 2) {
    auto taken = look();
    if (taken || attempt == bounds_.attempts) return taken;
    // Cancelled, or as long as several attempts may take together.
    auto code = taken.error().code();
    if (code == ErrorCode::cancelled || code == ErrorCode::timed_out) return taken;
    if (attempt == 1) trouble(taken.error());
    TRY(rt::sleep(pause));
  }
}

/// Of the file systems that the jar writes to the sum: what is lost there is at most what the jar has added
/// and others with it.
std::uint64_t DiskWatch::free_room() const {
  std::uint64_t room = 0;
  auto add = [&room](const std::string& path) {
    struct statvfs status {};
    if (::statvfs(path.c_str(), &status) == 0) room += std::uint64_t{status.f_bfree} * status.f_frsize;
  };
  add(places_.own.front());
  for (const auto& place : places_.growing)
    add(place);
  return room;
}

Result<std::uint64_t> DiskWatch::await_excess(const std::function<void(const Error&)>& trouble) {
  while (true) {
    auto room = free_room();
    auto taken = TRY(look_patiently(trouble));
    if (taken > limit_) return taken;
    auto measured = rt::now();
    auto left = limit_ - taken;
    while (true) {
      TRY(rt::sleep(std::clamp<rt::Duration>(took_ * kPart, kLook, kRarest)));
      auto now = free_room();
      if (now < room && room - now > left) break;
      if (rt::now() - measured >= kSlow) break;
    }
  }
}

}  // namespace belljar::keeper
