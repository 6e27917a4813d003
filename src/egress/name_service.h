// NameService: the addresses of a name as the host sees them: its hosts file first, then its name servers
// (c-ares). Nothing of the process's own files or environment is read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "egress/host_files.h"
#include "rt/deadline.h"

namespace belljar::egress {

class NameService {
 public:
  /// Made before the process confines itself: c-ares takes its randomness from a file at this point.
  static Result<NameService> create(std::string_view resolv_conf, std::string_view hosts);
  ~NameService();
  NameService(NameService&&) noexcept;
  NameService& operator=(NameService&&) noexcept;

  /// Addresses as text, IPv4 first; never empty. Errors: not_found (the name has none), timed_out, `closed`
  /// when no name server could be asked.
  Result<std::vector<std::string>> look_up(const std::string& name, rt::Deadline deadline);

  /// Drives the queries; runs in a fiber of its own as long as look_up is used.
  Result<void> run();

 private:
  struct State;
  explicit NameService(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace belljar::egress
