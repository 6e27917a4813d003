// GatewayWatch: holds the door of a running jar. At the first knock it starts the gateway, and another one in
// the place of each that has crashed: its processes are joined by sockets that nobody else holds, so with one
// of them all are replaced. What knocks meanwhile waits at the door. A gateway that crashes over and over is
// given up: the door is closed, and every connection refused.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/jar_spec.h"
#include "keeper/backoff.h"
#include "keeper/gateway.h"
#include "keeper/ledger.h"
#include "keeper/worker.h"

namespace belljar::keeper {

class GatewayWatch {
 public:
  /// `ledger` is borrowed; `note` writes into it.
  GatewayWatch(std::string libexec_directory, Ledger& ledger, std::function<void(const std::string&)> note)
      : libexec_directory_(std::move(libexec_directory)), ledger_(ledger), note_(std::move(note)) {}

  /// Until it is given up; to be cancelled.
  Result<void> run(jar::Door door, GatewayInputs inputs);
  /// Kills the gateway; run() starts another.
  void replace();
  /// Ends it, after run() has ended.
  void end();

  /// "not yet", "running", "restarting", "refused"
  [[nodiscard]] const std::string& state() const { return state_; }
  [[nodiscard]] unsigned restarts() const { return restarts_; }
  [[nodiscard]] const std::vector<Worker>& workers() const { return workers_; }

 private:
  static Result<void> await_knock(const jar::Door& door);
  Result<void> serve_once(const jar::Door& door, const GatewayInputs& inputs);
  Result<std::string> await_end();

  std::string libexec_directory_;
  Ledger& ledger_;
  std::function<void(const std::string&)> note_;
  std::vector<Worker> workers_;
  std::string state_ = "not yet";
  unsigned restarts_ = 0;
};

}  // namespace belljar::keeper
