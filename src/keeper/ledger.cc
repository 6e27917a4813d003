#include "keeper/ledger.h"

#include <utility>

#include <sys/socket.h>

#include "ledger/protocol.h"

namespace belljar::keeper {

Result<Ledger> Ledger::create(const std::string& directory, const std::string& jar) {
  auto control = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  Ledger ledger;
  ledger.directory_ = directory;
  ledger.jar_ = jar;
  ledger.control_ = std::move(control.first);
  ledger.process_side_ = std::move(control.second);
  TRY(ledger::send_setup(ledger.control_.get(), {.directory = directory}));
  auto own = TRY(ledger.open_appender("keeper"));
  ledger.recorder_ = TRY(ledger::BlockingRecorder::open(std::move(own)));
  return ledger;
}

Result<void> Ledger::start(const std::string& libexec_directory) {
  if (!process_side_) return {};
  os::FdPair control{std::move(control_), std::move(process_side_)};
  auto worker = TRY(start_worker(libexec_directory, "ledger", std::move(control)));
  control_ = std::move(worker.control);
  process_ = std::move(worker.process);
  return {};
}

Result<void> Ledger::restart(const std::string& libexec_directory) {
  // The old process is reaped with this, as nothing of this keeper's may be left as a zombie.
  *this = TRY(create(directory_, jar_));
  return start(libexec_directory);
}

Result<os::Fd> Ledger::open_appender(const std::string& source) {
  auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  TRY(ledger::send_appender(control_.get(), {.source = source, .jar = jar_}, pair.second.get()));
  return std::move(pair.first);
}

Result<void> Ledger::record(const std::string& what) {
  return recorder_->record({.kind = ledger::Kind::lifecycle, .reason = what}, ledger::Durability::none);
}

void Ledger::close() {
  recorder_.reset();
  control_.reset();
  process_.abandon();
}

}  // namespace belljar::keeper
