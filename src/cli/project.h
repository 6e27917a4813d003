// A repository's belljar.toml at a start: whether this exact content was approved, and the one question where
// nobody has said anything on it yet.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "keeper/directories.h"
#include "review/proposal.h"

namespace belljar::cli {

struct Consulted {
  config::Config config;           ///< empty unless it is approved
  std::vector<std::string> notes;  ///< why it does not count, one line each
};

/// `user`: the user's own configuration, against which widenings are shown. An undecided content becomes a
/// proposal when `may_ask`, and is asked about on a terminal; it never counts without a yes. What can't be
/// read or says what a project may not is left out and noted.
Result<Consulted> consult_project(const std::string& workspace, const config::Config& user,
                                  const keeper::Directories& directories, bool may_ask);

/// The content of the workspace's file as a proposal; nothing where there is none, or none to decide on.
std::optional<review::Proposal> undecided_project(const std::string& workspace);

/// Whether the workspace has no such file, for certain.
bool has_no_project(const std::string& workspace);

/// What the content changes, one line each, for a person: "+" before what widens. May hold texts that a jar
/// chose.
std::vector<std::string> described_project(const std::string& content, const config::Config& user);

/// Fails where that is more than a person looks through: such a file can't be approved.
Result<void> check_readable(const std::vector<std::string>& described);

}  // namespace belljar::cli
