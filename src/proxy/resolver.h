// Resolver: answers the jar's name queries and never forwards one.
//
// Every well-formed name gets a synthetic address, so that the connection to it can be answered with a
// reason; other types get NODATA. Names that nothing allows are recorded, and new ones come at a bounded
// rate: names carry nothing out, and can't fill the pool.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "dns/message.h"
#include "dns/name_pool.h"
#include "ledger/recorder.h"
#include "os/fd.h"
#include "policy/policy.h"
#include "proxy/kept_names.h"
#include "proxy/throttle.h"

namespace belljar::proxy {

class Resolver {
 public:
  /// All borrowed; `kept` is where `names` are kept, if anywhere.
  Resolver(const policy::Policy& policy, dns::NamePool& names, ledger::Recorder& recorder,
           KeptNames* kept = nullptr)
      : policy_(policy), names_(names), recorder_(recorder), kept_(kept) {}

  /// The answer to one message; nothing for what is to be dropped.
  std::optional<Bytes> answer(BytesView message, dns::Transport transport);

  /// These serve until their socket fails or the fiber is cancelled.
  Result<void> serve_udp(os::Fd socket);
  Result<void> serve_tcp(os::Fd listener);
  /// Records now and then how many queries were not recorded one by one.
  Result<void> report_suppressed();

 private:
  Bytes answer_name(const dns::Query& query, dns::Transport transport);
  void record_denied(const std::string& name, std::string reason, std::string origin);
  Result<void> serve_connection(os::Fd socket);

  const policy::Policy& policy_;
  dns::NamePool& names_;
  ledger::Recorder& recorder_;
  KeptNames* kept_;
  Throttle recorded_{64, 8, std::chrono::minutes(1)};
  Throttle denied_names_{256, 16, rt::Duration::zero()};
  std::unordered_set<std::string> denied_assigned_;  // those that have an address
};

}  // namespace belljar::proxy
