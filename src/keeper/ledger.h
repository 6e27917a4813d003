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
  /// Starts belljar-ledger on `directory`, made when absent. Does not wait until it is ready.
  static Result<Ledger> start(const std::string& libexec_directory, const std::string& directory,
                              const std::string& jar);

  /// A socket whose events are marked with this source and this jar, for a process to append through.
  Result<os::Fd> open_appender(const std::string& source);
  /// Appends a lifecycle event of the jar; not waited for.
  Result<void> record(const std::string& what);
  /// Lets the process write what it holds and end by itself.
  void close();

 private:
  Ledger() = default;
  Worker worker_;
  std::string jar_;
  std::unique_ptr<ledger::BlockingRecorder> recorder_;
};

}  // namespace belljar::keeper
