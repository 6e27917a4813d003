// Plan: what the command that starts a jar has decided, for the keeper that runs it; and the words of one
// further program. Encoded as a whole (wire/codec.h), they come in sealed files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/jar_spec.h"
#include "policy/policy.h"

namespace belljar::keeper {

struct Plan {
  jar::JarSpec spec;  ///< what concerns the authority is the keeper's to fill in
  policy::Policy policy;
  /// Run one after another before the program, each with its output for standard error; the first failure
  /// ends it all (an agent's installation).
  struct Preparation {
    std::string what;  ///< "installing claude"
    jar::ExecRequest request;
  };
  std::vector<Preparation> preparations;
  jar::ExecRequest request;  ///< standard streams and terminal come with the request to start
  std::string libexec_directory;
  std::string ledger_directory;
  /// The jar goes on without the command that started it: its program has no other streams than the jar's
  /// terminal.
  bool outlives_command = false;
};

inline constexpr std::size_t kMaxPlan = 32U << 20;
/// A field or list beyond the codec's bounds is a panic: the kernel bounds a command line below them.
Bytes encode(const Plan& plan);
Result<Plan> decode_plan(BytesView bytes);

/// A program for a jar that runs already.
struct ProgramWords {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< "NAME=value": added to that of the jar's own program
  std::string working_directory;         ///< empty: that of the jar's own program
  bool operator==(const ProgramWords&) const = default;
};
Bytes encode(const ProgramWords& words);
Result<ProgramWords> decode_program_words(BytesView bytes);

}  // namespace belljar::keeper
