// What tests of the gateway's processes share. Never linked into a program.
#pragma once

#include <functional>
#include <vector>

#include "ledger/recorder.h"
#include "policy/policy.h"

namespace belljar::gateway {

/// Keeps events in memory; `on_record` runs before each one is taken and may fail it.
class MemoryRecorder final : public ledger::Recorder {
 public:
  Result<void> record(const ledger::Event& event, ledger::Durability durability) override {
    if (on_record) TRY(on_record(event, durability));
    events.push_back(event);
    return {};
  }

  std::vector<ledger::Event> events;
  std::function<Result<void>(const ledger::Event&, ledger::Durability)> on_record;
};

inline policy::Rule allow_rule(std::string_view host, policy::Scheme scheme = policy::Scheme::https) {
  policy::Rule rule;
  rule.verdict = policy::Verdict::allow;
  rule.host = policy::HostPattern::parse(host).value();
  rule.schemes = {scheme};
  rule.reason = "the test allows it";
  rule.origin = "test";
  return rule;
}

}  // namespace belljar::gateway
