#include "cli/places.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "keeper/jars.h"
#include "os/path.h"

namespace belljar::cli {

namespace {

/// Below this nothing of belljar's can be written, a record last of all.
constexpr std::uint64_t kNoRoom = 1ULL << 20;  // bytes

/// For the shell of who reads it. What is plain stays readable.
std::string shell_quoted(const std::string& path) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%=";
  if (path.find_first_not_of(kPlain) == std::string::npos) return path;
  std::string text = "'";
  for (char c : path)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// What lies above belljar's own directories is not belljar's to have moved or given away.
PlaceFault above(const std::string& path, const std::string& what, const std::string& last) {
  return {
      .path = path,
      .what = what,
      .mend = fmt::format("ls -ld {}   (HOME and XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME say where "
                          "belljar keeps things)",
                          shell_quoted(last))};
}

std::optional<PlaceFault> room_fault(const std::string& path) {
  struct statvfs space {};
  if (::statvfs(path.c_str(), &space) < 0 || space.f_blocks == 0) return {};
  bool full = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize < kNoRoom;
  bool no_files = space.f_files != 0 && space.f_favail == 0;
  if (!full && !no_files) return {};
  return PlaceFault{
      .path = path,
      .what = fmt::format("there is no room {} for {}", full ? "on the disk" : "for more files", path),
      .mend = fmt::format("df {} {}   (make room; belljar rm NAME deletes a jar)", full ? "-h" : "-i",
                          shell_quoted(path))};
}

/// A walk from the top to one place, which is `own_` or below it. The first that is not there ends it, as the
/// rest is made in the one above.
class Walk {
 public:
  explicit Walk(const std::string& own) : own_(own) {}

  std::optional<PlaceFault> to(const std::string& place) {
    if (::stat("/", &status_) < 0) return {};
    for (std::size_t end = 0; end != std::string::npos;) {
      end = place.find('/', end + 1);
      auto path = place.substr(0, end);
      struct stat link {};
      if (::lstat(path.c_str(), &link) < 0)
        return errno == ENOENT ? in_last(path) : not_writable(path, errno);
      if (auto fault = step(path)) return fault;
    }
    return in_last(place);
  }

 private:
  /// Onto a path that is there.
  std::optional<PlaceFault> step(const std::string& path) {
    struct stat reached {};
    bool dangling = ::stat(path.c_str(), &reached) < 0;
    if (!dangling && S_ISDIR(reached.st_mode)) {
      status_ = reached;
      last_ = path;
      return {};
    }
    auto what = path + (dangling ? " is a link that leads nowhere" : " is a file, not a directory");
    if (!os::is_within(path, own_)) return above(path, what, path);
    auto name = shell_quoted(path);
    auto mend =
        dangling ? fmt::format("ls -l {0}   (mend it, or: rm {0})", name)
                 : fmt::format("mv {0} {0}.old   (belljar keeps things in a directory of that name)", name);
    return PlaceFault{.path = path, .what = what, .mend = std::move(mend)};
  }

  /// `path` is last_, or is to be made in it.
  std::optional<PlaceFault> in_last(const std::string& path) {
    if (::access(last_.c_str(), W_OK | X_OK) < 0) return not_writable(path, errno);
    return room_fault(last_);
  }

  std::optional<PlaceFault> not_writable(const std::string& path, int reason) {
    bool own = os::is_within(last_, own_);
    const auto& shown = own ? last_ : path;
    if (reason == EROFS) return above(shown, last_ + " is on a file system that can't be written", last_);
    if (!own) return above(shown, shown + " can't be made, as you can't write to " + last_, last_);
    if (status_.st_uid == ::geteuid())
      return PlaceFault{.path = last_,
                        .what = last_ + " is closed to you by its mode",
                        .mend = "chmod u+rwx " + shell_quoted(last_)};
    return PlaceFault{.path = last_,
                      .what = last_ + " belongs to another user, and you can't write there",
                      .mend = "sudo chown $USER " + shell_quoted(last_)};
  }

  const std::string& own_;
  std::string last_ = "/";
  struct stat status_ {};
};

/// Each jar is a directory of its name.
void add_jars(std::vector<std::string>& places, const std::string& jars) {
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(jars, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    auto name = entry->path().filename().string();
    if (keeper::Jars::is_valid_name(name)) places.push_back(jars + "/" + name);
  }
}

}  // namespace

std::optional<PlaceFault> find_place_fault(const keeper::Directories& directories, const std::string& about) {
  std::vector<std::string> states;
  for (const char* name : {"/jars", "/ledger", "/review", "/logins", "/daemon", "/roots"})
    states.push_back(directories.state + name);
  add_jars(states, directories.jars());
  auto counts = [&about](const std::optional<PlaceFault>& fault) {
    return fault && (about.empty() || about.find(fault->path) != std::string::npos);
  };
  if (auto fault = Walk(directories.config).to(directories.config + "/jars"); counts(fault)) return fault;
  for (const auto& place : states)
    if (auto fault = Walk(directories.state).to(place); counts(fault)) return fault;
  if (auto fault = Walk(directories.cache).to(directories.cache); counts(fault)) return fault;
  return {};
}

}  // namespace belljar::cli
