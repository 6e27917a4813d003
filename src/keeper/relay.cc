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

Relay Relay::elsewhere(jar::TerminalSize size) {
  Relay relay;
  relay.elsewhere_ = size;
  return relay;
}

Streams Relay::streams() const {
  Streams streams{.given = 0, .terminal = elsewhere_};
  for (unsigned n = 0; n < 3; ++n)
    if (jar_side_[n]) streams.given = static_cast<std::uint8_t>(streams.given | 1U << n);
  if (has_terminal()) streams.terminal = terminal_size();
  return streams;
}

std::vector<int> Relay::jar_ends() const {
  std::vector<int> ends;
  for (const auto& end : jar_side_)
    if (end) ends.push_back(end.get());
  return ends;
}

void Relay::forget_jar_ends() {
  for (auto& end : jar_side_)
    end.reset();
}

bool Relay::is_terminal_only() const {
  return has_terminal() && !host_side_[0] && !host_side_[1] && !host_side_[2];
}

Result<void> Relay::start(rt::Nursery& input, rt::Nursery& output) {
  if (host_side_[0])
    carry(input, std::make_shared<HostStream>(STDIN_FILENO),
          shared(TRY(io::open_fd_stream(std::move(host_side_[0])))));
  for (int n = 1; n < 3; ++n)
    if (host_side_[n])
      carry(output, shared(TRY(io::open_fd_stream(std::move(host_side_[n])))),
            std::make_shared<HostStream>(n));
  return {};
}

}  // namespace belljar::keeper
