#include "cli/undo_target.h"

#include <algorithm>
#include <cerrno>

#include <fmt/core.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/path.h"

namespace belljar::cli {

namespace {

std::string current_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) == nullptr ? "" : path;
}

}  // namespace

Result<keeper::JarRecord> find_jar_around(const keeper::Directories& directories, const std::string& name) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  if (!name.empty()) return jars.find(name);
  auto here = current_directory();
  std::optional<keeper::JarRecord> nearest;
  for (auto& record : TRY(jars.list())) {
    if (record.workspace.empty() || !os::is_within(here, record.workspace)) continue;
    if (!nearest || record.workspace.size() > nearest->workspace.size()) nearest = std::move(record);
  }
  if (nearest) return std::move(*nearest);
  return Error(ErrorCode::not_found, "this directory has no jar (" + here + ")")
      .with_hint("name one: belljar ls lists them");
}

Result<std::uint64_t> default_target(undo::Store& store) {
  auto numbers = TRY(store.numbers());
  if (numbers.empty()) return 0U;
  auto started = store.last_start().value_or(0);
  bool there = std::find(numbers.begin(), numbers.end(), started) != numbers.end();
  return there ? started : numbers.back();
}

Result<std::string> path_in_workspace(const std::string& path, const std::string& workspace) {
  auto here = current_directory();
  auto whole = path;
  if (!path.starts_with('/')) whole = (os::is_within(here, workspace) ? here : workspace) + "/" + path;
  std::string clean;
  for (std::size_t at = 0; at < whole.size();) {
    auto slash = std::min(whole.find('/', at), whole.size());
    auto part = whole.substr(at, slash - at);
    at = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..")
      clean.resize(clean.empty() ? 0 : clean.rfind('/'));
    else
      clean += "/" + part;
  }
  if (!os::is_within(clean, workspace))
    return Error(ErrorCode::invalid_argument, fmt::format("{} is not in the workspace {}", path, workspace))
        .with_hint("name a path below the workspace, or leave --path out for all of it");
  return clean.size() == workspace.size() ? "" : clean.substr(workspace.size() + 1);
}

}  // namespace belljar::cli
