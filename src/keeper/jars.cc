#include "keeper/jars.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "config/table_reader.h"
#include "keeper/removal.h"
#include "os/fork.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMaxRecord = 64U << 10;

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

Result<std::vector<std::string>> entries_of(const std::string& path) {
  std::unique_ptr<DIR, DirectoryCloser> directory(::opendir(path.c_str()));
  if (!directory) return Error::from_errno(errno, "list " + path);
  std::vector<std::string> names;
  while (const auto* entry = ::readdir(directory.get()))
    if (Jars::is_valid_name(entry->d_name)) names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

/// A lock of an open file description (fcntl(2)) over the whole file. Other than one of flock(2) it can be
/// asked for without being taken, so that a listing never makes a start fail.
struct flock whole_file() {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

/// The lock of a jar's directory, or nothing when somebody holds it or the directory was removed meanwhile.
Result<std::optional<JarLock>> try_lock(const std::string& directory) {
  auto path = directory + "/lock";
  auto lock = TRY(os::open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW));
  auto range = whole_file();
  if (::fcntl(lock.get(), F_OFD_SETLK, &range) < 0) {
    if (errno == EAGAIN || errno == EACCES) return std::optional<JarLock>{};
    return Error::from_errno(errno, "lock " + directory);
  }
  struct stat locked {
  }, named{};
  bool in_place = ::fstat(lock.get(), &locked) == 0 && ::lstat(path.c_str(), &named) == 0 &&
                  locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
  if (!in_place) return std::optional<JarLock>{};
  return std::optional<JarLock>(JarLock(std::move(lock)));
}

/// Housekeeping (src/daemon) holds a lock for a moment.
Result<std::optional<JarLock>> try_lock_patiently(const std::string& directory) {
  constexpr int kAttempts = 20;
  for (int attempt = 1;; ++attempt) {
    auto lock = TRY(try_lock(directory));
    if (lock || attempt == kAttempts) return lock;
    ::usleep(5000);
  }
}

bool is_running(const std::string& directory) {
  auto lock = os::open_file(directory + "/lock", O_RDONLY | O_NOFOLLOW);
  auto range = whole_file();
  return lock && ::fcntl(lock->get(), F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

/// Records are JSON, and JSON is UTF-8: a jar of another path would not be found again.
Result<void> check_recordable(const std::string& workspace) {
  nlohmann::json json = workspace;
  auto text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (nlohmann::json::parse(text, nullptr, false) == json) return {};
  return Error(ErrorCode::unsupported, "the path of the workspace isn't UTF-8: " + workspace)
      .with_hint("belljar run --no-workspace …");
}

Result<void> check_name(const std::string& name) {
  if (Jars::is_valid_name(name)) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("'{}' can't name a jar: 1 to 63 of a-z, 0-9 and hyphens inside", name))
      .with_hint("--jar my-app");
}

Error running_error(const std::string& name) {
  return Error(ErrorCode::already_exists, fmt::format("jar '{}' is running", name))
      .with_hint("belljar --jar ANOTHER-NAME … starts a second jar on this directory");
}

/// A home is made once there is a record: before, and in a jar that goes, nothing has been written by it.
bool has_been_started(const std::string& directory) {
  return ::access((directory + "/home").c_str(), F_OK) == 0 || errno != ENOENT;
}

/// True where there was a record: it stays beside the new one. One that was never written is none.
bool set_damaged_aside(const std::string& record) {
  return ::rename(record.c_str(), (record + ".damaged").c_str()) == 0;
}

Result<bool> holds_only_its_lock(const std::string& jar_directory) {
  std::unique_ptr<DIR, DirectoryCloser> directory(::opendir(jar_directory.c_str()));
  if (!directory) return Error::from_errno(errno, "list " + jar_directory);
  while (const auto* entry = ::readdir(directory.get())) {
    std::string_view name = entry->d_name;
    if (name != "." && name != ".." && name != "lock") return false;
  }
  return true;
}

}  // namespace

std::string git_directory_note(const std::string& jar_directory) { return jar_directory + "/git-directory"; }

JarLock::~JarLock() {
  if (!file_) return;
  struct flock range {};
  range.l_type = F_UNLCK;
  range.l_whence = SEEK_SET;
  (void)::fcntl(file_.get(), F_OFD_SETLK, &range);
}

bool Jars::is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > 63 || name.front() == '-' || name.back() == '-') return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

Result<Jars> Jars::open(std::string directory) {
  TRY(os::create_directories(directory));
  return Jars(std::move(directory));
}

Result<std::vector<JarRecord>> Jars::list() const {
  std::vector<JarRecord> records;
  for (const auto& name : TRY(entries_of(directory_)))
    records.push_back(read_record(name));
  return records;
}

Result<std::vector<std::string>> Jars::written_places() const {
  std::vector<std::string> places;
  for (const auto& name : TRY(entries_of(directory_))) {
    auto directory = directory_ + "/" + name;
    auto record = read_written(name);
    if (record.damaged && has_been_started(directory))
      return Error(ErrorCode::malformed, fmt::format("the record of jar '{}' is damaged", name))
          .with_hint(fmt::format("belljar rm {}   (or mend {}/jar.json)", name, directory));
    if (!record.workspace.empty()) places.push_back(std::move(record.workspace));
    auto git = os::read_file(git_directory_note(directory), kMaxRecord);
    if (git && !git->empty()) places.push_back(std::move(*git));
    if (!git && git.error().code() != ErrorCode::not_found)
      return std::move(git).error().context(fmt::format("what jar '{}' can write", name));
  }
  return places;
}

Result<JarRecord> Jars::find(std::string_view name) const {
  struct stat status {};
  if (is_valid_name(name) && ::lstat(fmt::format("{}/{}", directory_, name).c_str(), &status) == 0)
    return read_record(std::string(name));
  auto names = TRY(entries_of(directory_));
  auto known = names.empty() ? std::string("there are none yet")
                             : fmt::format("there are: {}", fmt::join(names, ", "));
  if (auto meant = config::nearest(name, names)) known = fmt::format("did you mean '{}'? {}", *meant, known);
  return Error(ErrorCode::not_found, fmt::format("no jar '{}'; {}", name, known)).with_hint("belljar ls");
}

Result<std::optional<JarRecord>> Jars::find_of_workspace(std::string_view workspace) const {
  std::optional<JarRecord> oldest;
  std::vector<std::string> others;
  for (const auto& name : TRY(entries_of(directory_))) {
    auto record = read_written(name);
    if (record.damaged || record.workspace != workspace) continue;
    if (!oldest || record.created < oldest->created) {
      if (oldest) others.push_back(oldest->name);
      oldest = std::move(record);
    } else {
      others.push_back(record.name);
    }
  }
  if (!oldest) return oldest;
  look_whether_running(*oldest);
  oldest->others_of_workspace = std::move(others);
  return oldest;
}

Result<std::string> Jars::choose_name(std::string_view workspace) const {
  auto last = workspace.substr(workspace.rfind('/') + 1);
  std::string base;
  for (char c : last.substr(0, 48)) {
    char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain)
      base += lower;
    else if (!base.empty() && base.back() != '-')
      base += '-';
  }
  while (!base.empty() && base.back() == '-')
    base.pop_back();
  if (base.empty()) base = "jar";
  auto taken = TRY(entries_of(directory_));
  std::string name = base;
  for (int n = 2; std::binary_search(taken.begin(), taken.end(), name); ++n)
    name = fmt::format("{}-{}", base, n);
  return name;
}

JarRecord Jars::read_record(const std::string& name) const {
  auto record = read_written(name);
  look_whether_running(record);
  return record;
}

void Jars::look_whether_running(JarRecord& record) const {
  auto directory = directory_ + "/" + record.name;
  record.running = is_running(directory);
  struct stat lock {};
  if (::stat((directory + "/lock").c_str(), &lock) == 0) record.started = lock.st_mtime;
}

JarRecord Jars::read_written(const std::string& name) const {
  JarRecord record{.name = name};
  auto text = os::read_file(directory_ + "/" + name + "/jar.json", kMaxRecord);
  auto json = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  auto text_of = [&json](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  auto number_of = [&json](const char* key) {
    return json.contains(key) && json[key].is_number_integer() ? json[key].get<std::int64_t>() : 0;
  };
  record.damaged = !json.is_object() || !json.contains("workspace") || !json["workspace"].is_string();
  if (record.damaged) return record;
  record.workspace = text_of("workspace");
  record.agent = text_of("agent");
  record.created = number_of("created");
  return record;
}

Result<void> Jars::write_record(const JarRecord& record) const {
  nlohmann::json json = {
      {"version", 1}, {"workspace", record.workspace}, {"agent", record.agent}, {"created", record.created}};
  auto text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return os::replace_file(directory_ + "/" + record.name + "/jar.json", text);
}

Result<TakenJar> Jars::take(const JarRecord& wanted) {
  TRY(check_name(wanted.name));
  TRY(check_recordable(wanted.workspace));
  auto directory = directory_ + "/" + wanted.name;
  if (::mkdir(directory.c_str(), 0700) < 0 && errno != EEXIST)
    return Error::from_errno(errno, "mkdir " + directory);
  auto lock = TRY(try_lock_patiently(directory));
  if (!lock) return running_error(wanted.name);
  if (is_half_removed(directory))
    return Error(ErrorCode::cancelled, fmt::format("the removal of jar '{}' was cut off", wanted.name))
        .with_hint(fmt::format("belljar rm {}   (ends it)", wanted.name));

  // Whoever made the directory: another start may have had the lock first.
  auto made = TRY(holds_only_its_lock(directory));
  auto record = made ? wanted : read_record(wanted.name);
  bool recorded = !made && !record.damaged;
  auto now = static_cast<std::int64_t>(std::time(nullptr));
  if (!recorded) {
    record = wanted;
    record.created = now;
  }
  if (record.workspace != wanted.workspace)
    return Error(ErrorCode::already_exists,
                 fmt::format("jar '{}' belongs to {}", wanted.name,
                             record.workspace.empty() ? "no directory" : record.workspace))
        .with_hint("belljar --jar ANOTHER-NAME …");
  record.running = true;
  record.started = now;
  if (::futimens(lock->file(), nullptr) < 0)
    return Error::from_errno(errno, "note the start of " + directory);
  auto repaired = !recorded && set_damaged_aside(directory + "/jar.json");
  if (!recorded) TRY(write_record(record));
  return TakenJar{.record = std::move(record),
                  .directory = std::move(directory),
                  .lock = std::move(*lock),
                  .made = made,
                  .settled = recorded,
                  .repaired = repaired};
}

Result<void> TakenJar::settle() const {
  if (settled) return {};
  auto path = record_file();
  TRY(os::fork_unhurried(-1, [&path] { return os::settle_file(path).ok() ? 0 : 1; })).abandon();
  return {};
}

Result<JarLock> Jars::hold(std::string_view name) {
  auto record = TRY(find(name));
  auto lock = TRY(try_lock_patiently(directory_ + "/" + record.name));
  if (!lock)
    return Error(ErrorCode::already_exists, fmt::format("jar '{}' is running", name))
        .with_hint(fmt::format("belljar stop {}", name));
  return std::move(*lock);
}

Result<void> Jars::rename(std::string_view name, const std::string& new_name) {
  TRY(check_name(new_name));
  auto lock = TRY(hold(name));
  auto directory = directory_ + "/" + std::string(name);
  auto renamed = directory_ + "/" + new_name;
  if (::renameat2(AT_FDCWD, directory.c_str(), AT_FDCWD, renamed.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EEXIST)
    return Error(ErrorCode::already_exists, fmt::format("there is a jar '{}' already", new_name))
        .with_hint("belljar ls");
  return Error::from_errno(errno, "rename " + directory);
}

Result<void> Jars::remove(std::string_view name, const std::function<Result<void>()>& before) {
  auto record = TRY(find(name));
  auto lock = TRY(try_lock_patiently(directory_ + "/" + record.name));
  if (!lock)
    return Error(ErrorCode::already_exists, fmt::format("jar '{}' is running", name))
        .with_hint(fmt::format("belljar stop {}", name));
  return remove_jar(directory_, record.name, before);
}

}  // namespace belljar::keeper
