// The ledger process of a running jar, as its starter sees it: hands out sockets to append through, and
// appends what happens to the jar itself.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "keeper/worker.h"
#include "ledger/recorder.h"

namespace belljar::keeper {

class Ledger {
 public:
  ~Ledger() { close(); }
  Ledger(Ledger&&) = default;
  Ledger& operator=(Ledger&&) = default;

  /// The sockets of a ledger on `directory`, made when absent. What is appended waits in them until start().
  static Result<Ledger> create(const std::string& directory, const std::string& jar);
  /// Starts belljar-ledger, unless that was done; does not wait until it is ready.
  Result<void> start(const std::string& libexec_directory);

  /// Starts another process in the place of one that has ended. Appenders of the old one are dead.
  Result<void> restart(const std::string& libexec_directory);
  /// Becomes readable when the process has ended; nothing is ever said on it.
  [[nodiscard]] int end_fd() const { return control_.get(); }

  /// A socket whose events are marked with this source and this jar, for a process to append through.
  Result<os::Fd> open_appender(const std::string& source);
  /// Appends a lifecycle event of the jar; not waited for.
  Result<void> record(const std::string& what);
  /// Lets the process write what it holds and end by itself: nobody waits for it, nobody kills it.
  void close();

 private:
  Ledger() = default;
  os::Fd control_;
  os::Fd process_side_;  ///< of the control socket, until the process has it
  os::Pid process_;
  std::string directory_;
  std::string jar_;
  std::unique_ptr<ledger::BlockingRecorder> recorder_;
};

}  // namespace belljar::keeper
