#include "keeper/ledger.h"

#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "ledger/protocol.h"

namespace belljar::keeper {

namespace {

constexpr int kCloseMilliseconds = 10'000;

}  // namespace

Result<Ledger> Ledger::start(const std::string& libexec_directory, const std::string& directory,
                             const std::string& jar) {
  Ledger ledger;
  ledger.jar_ = jar;
  ledger.worker_ = TRY(start_worker(libexec_directory, "ledger"));
  TRY(ledger::send_setup(ledger.worker_.control.get(), {.directory = directory}));
  auto own = TRY(ledger.open_appender("keeper"));
  ledger.recorder_ = TRY(ledger::BlockingRecorder::open(std::move(own)));
  return ledger;
}

Result<os::Fd> Ledger::open_appender(const std::string& source) {
  auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  TRY(ledger::send_appender(worker_.control.get(), {.source = source, .jar = jar_}, pair.second.get()));
  return std::move(pair.first);
}

Result<void> Ledger::record(const std::string& what) {
  return recorder_->record({.kind = ledger::Kind::lifecycle, .reason = what}, ledger::Durability::none);
}

Result<void> Ledger::close() {
  recorder_.reset();
  worker_.control.reset();
  pollfd ended{.fd = worker_.process.pidfd(), .events = POLLIN, .revents = 0};
  int ready = 0;
  while ((ready = ::poll(&ended, 1, kCloseMilliseconds)) < 0 && errno == EINTR)
    continue;
  if (ready == 0) return Error(ErrorCode::timed_out, "the ledger did not end in time");
  auto exit = TRY(worker_.process.wait());
  if (exit.shell_code() != 0)
    return Error(ErrorCode::internal, "the ledger ended with a failure; its last lines may be missing")
        .with_hint("belljar log --verify");
  return {};
}

}  // namespace belljar::keeper
