#include "keeper/relay.h"

#include <memory>
#include <utility>

#include <unistd.h>

#include "base/log.h"
#include "io/fd_stream.h"
#include "io/pump.h"

namespace belljar::keeper {

namespace {

/// The terminal to paint on. Standard input comes last: it may be open for reading only.
int find_terminal() {
  for (int n : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO})
    if (::isatty(n) == 1) return n;
  return -1;
}

/// One direction as a fiber. Its failure means that one end is gone, which the other end must see: dropping
/// both streams does that.
void carry(rt::Nursery& nursery, std::shared_ptr<io::Stream> from, std::shared_ptr<io::Stream> to) {
  nursery.start([from = std::move(from), to = std::move(to)]() -> Result<void> {
    auto moved = io::pump(*from, *to);
    if (!moved) log::debug("a standard stream ended: {}", moved.error().to_string());
    return {};
  });
}

std::shared_ptr<io::Stream> shared(std::unique_ptr<io::Stream> stream) { return stream; }

}  // namespace

Result<Relay> Relay::create() {
  Relay relay;
  relay.terminal_ = find_terminal();
  for (int n = 0; n < 3; ++n) {
    if (::isatty(n) == 1) continue;
    auto pipe = TRY(os::create_pipe());
    bool inward = n == STDIN_FILENO;
    relay.host_side_[n] = std::move(inward ? pipe.second : pipe.first);
    relay.jar_side_[n] = std::move(inward ? pipe.first : pipe.second);
  }
  return relay;
}

void Relay::describe(jar::ExecRequest& request) const {
  for (int n = 0; n < 3; ++n)
    request.standard[n] = jar_side_[n].get();
  if (has_terminal()) request.terminal = terminal_size();
}

Result<void> Relay::start(os::Fd jar_terminal, rt::Nursery& input, rt::Nursery& output) {
  for (auto& end : jar_side_)
    end.reset();
  if (host_side_[0])
    carry(input, std::make_shared<HostStream>(STDIN_FILENO),
          shared(TRY(io::open_fd_stream(std::move(host_side_[0])))));
  for (int n = 1; n < 3; ++n)
    if (host_side_[n])
      carry(output, shared(TRY(io::open_fd_stream(std::move(host_side_[n])))),
            std::make_shared<HostStream>(n));
  if (jar_terminal) TRY(start_terminal(std::move(jar_terminal), input, output));
  return {};
}

Result<void> Relay::start_terminal(os::Fd jar_terminal, rt::Nursery& input, rt::Nursery& output) {
  auto second = TRY(jar_terminal.duplicate());
  auto jar_reads = shared(TRY(io::open_fd_stream(std::move(jar_terminal))));
  auto jar_writes = shared(TRY(io::open_fd_stream(std::move(second))));
  // In the background (belljar … &) the keys are not ours: touching the terminal's mode would stop this
  // process.
  bool foreground = ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (::isatty(STDIN_FILENO) == 1 && foreground) {
    raw_.emplace(TRY(RawTerminal::enter(STDIN_FILENO)));
    carry(input, std::make_shared<HostStream>(STDIN_FILENO), jar_writes);
  }
  carry(output, jar_reads, std::make_shared<HostStream>(terminal_));
  return {};
}

}  // namespace belljar::keeper
