#include "cli/removed_rules.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/decision.h"
#include "cli/effective.h"
#include "os/fd.h"

namespace belljar::cli {

Result<bool> remove_rules(const std::string& jar, const keeper::Directories& directories) {
  auto rules = jar_config_file(directories, jar);
  struct stat status {};
  if (::lstat(rules.path.c_str(), &status) < 0) return false;
  TRY(record_decision(
      {.kind = ledger::Kind::decision, .reason = "its rules are deleted with it, by " + deciding_user()}, jar,
      directories));
  if (::unlink(rules.path.c_str()) < 0 && errno != ENOENT)
    return Error::from_errno(errno, "delete " + rules.shown);
  // On the disk before the jar goes.
  auto place = TRY(os::open_file(rules.path.substr(0, rules.path.rfind('/')), O_RDONLY | O_DIRECTORY));
  if (::fsync(place.get()) < 0) return Error::from_errno(errno, "sync the directory of " + rules.shown);
  return true;
}

}  // namespace belljar::cli
