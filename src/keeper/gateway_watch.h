// GatewayWatch: holds the door of a running jar until the first knock, then hands it to a gateway.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/jar_spec.h"
#include "keeper/gateway.h"
#include "keeper/ledger.h"
#include "keeper/worker.h"

namespace belljar::keeper {

class GatewayWatch {
 public:
  /// `ledger` is borrowed; `note` writes into it.
  GatewayWatch(std::string libexec_directory, Ledger& ledger, std::function<void(const std::string&)> note)
      : libexec_directory_(std::move(libexec_directory)), ledger_(ledger), note_(std::move(note)) {}

  /// Until the gateway has ended; to be cancelled.
  Result<void> run(jar::Door door, GatewayInputs inputs);
  /// Ends the gateway.
  void end();
  /// "not yet", "running", "ended"
  [[nodiscard]] const std::string& state() const { return state_; }
  [[nodiscard]] const std::vector<Worker>& workers() const { return workers_; }

 private:
  static Result<void> await_knock(const jar::Door& door);
  Result<void> watch_worker(const Worker& worker);

  std::string libexec_directory_;
  Ledger& ledger_;
  std::function<void(const std::string&)> note_;
  std::vector<Worker> workers_;
  std::string state_ = "not yet";
};

}  // namespace belljar::keeper
