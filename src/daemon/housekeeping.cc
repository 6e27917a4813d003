#include "daemon/housekeeping.h"

#include <ctime>

#include <unistd.h>

#include "config/config.h"
#include "jar/namespaces/limits.h"
#include "jar/workspace/guard.h"
#include "keeper/end_record.h"
#include "keeper/jars.h"
#include "keeper/socket.h"
#include "keeper/written_by_jars.h"
#include "undo/git_directory.h"
#include "undo/journal.h"
#include "undo/store.h"
#include "undo/sweep.h"

namespace belljar::daemon {

namespace {

void remove_placeholders(const std::string& workspace, const std::string& record) {
  if (workspace.empty() || ::access(record.c_str(), F_OK) < 0) return;
  (void)jar::Placeholders::prepare(workspace, record);  // which removes what the record names
}

/// `directory` is the one that the store is in.
Result<void> tend_store(const std::string& directory, const undo::Bounds& bounds) {
  auto store = TRY(undo::Store::open_existing(directory));
  if (!store || !TRY(undo::is_sweep_due(*store, bounds))) return {};
  store.reset();  // its lock is the sweep's from here on
  return undo::sweep(directory, bounds);
}

}  // namespace

Result<void> clear_after_kill(const std::string& jars_directory, const std::string& jar) {
  auto jars = TRY(keeper::Jars::open(jars_directory));
  auto lock = jars.hold(jar);
  if (!lock) {
    auto code = lock.error().code();
    if (code == ErrorCode::already_exists || code == ErrorCode::not_found) return {};
    return std::move(lock).error();
  }
  auto directory = jars_directory + "/" + jar;
  if (!keeper::has_socket(directory)) return {};
  auto record = TRY(jars.find(jar));
  remove_placeholders(record.workspace, directory + "/placeholders");
  jar::sweep_control_groups();
  // First the word, then the sign: it was killed at every moment in between.
  TRY(keeper::write_end(directory, {.time = std::time(nullptr), .exit_code = {}}));
  keeper::remove_socket(directory);
  return {};
}

Result<void> tend_checkpoints(const std::string& jars_directory, const std::string& jar,
                              const std::string& config_file) {
  auto directory = jars_directory + "/" + jar;
  undo::Bounds bounds;
  if (::access(config_file.c_str(), F_OK) == 0) {
    // One that can't be read says nothing of what may be dropped.
    auto config = TRY(config::load_config(config_file, config_file, keeper::written_by_jars(jars_directory)));
    if (config.undo.keep) bounds.keep = *config.undo.keep;
    if (config.undo.size) bounds.size = *config.undo.size;
  }
  TRY(tend_store(directory, bounds));
  // The git directory's are a store of their own. What an interrupted undo goes to there, only the
  // workspace's journal says.
  if (TRY(undo::read_journal(directory + "/undo"))) return {};
  return tend_store(undo::git_store_of(directory), bounds);
}

}  // namespace belljar::daemon
