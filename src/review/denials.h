// Which denials in the ledger are worth a question: requests of a kind (host, port, scheme, method) that no
// rule of the jar says anything about. What a rule denies stays denied, and what a path was missing for is
// told in the log alone.
#pragma once

#include <optional>

#include "ledger/store.h"
#include "policy/policy.h"
#include "review/proposal.h"

namespace belljar::review {

/// `policy` is the jar's as it is now. Nothing for every other row.
std::optional<Proposal> proposal_of(const ledger::Row& row, const policy::Policy& policy);

}  // namespace belljar::review
