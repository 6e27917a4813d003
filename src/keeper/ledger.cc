#include "keeper/ledger.h"

#include <utility>

#include <sys/socket.h>

#include "ledger/protocol.h"

namespace belljar::keeper {

Result<Ledger> Ledger::start(const std::string& libexec_directory, const std::string& directory,
                             const std::string& jar) {
  Ledger ledger;
  ledger.jar_ = jar;
  ledger.worker_ = TRY(start_worker(libexec_directory, "ledger"));
  // It ends with its control socket once it has written what it holds: nobody waits for it, nobody kills it.
  ledger.worker_.process.abandon();
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

void Ledger::close() {
  recorder_.reset();
  worker_.control.reset();
}

}  // namespace belljar::keeper
