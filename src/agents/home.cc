#include "agents/home.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/json_merge.h"
#include "os/fd.h"

namespace belljar::agents {

namespace {

constexpr std::size_t kMaxLoginFile = 1U << 20;
constexpr std::size_t kMaxMerged = 16U << 20;

struct Home {
  os::Fd directory;
  uid_t owner = 0;
  gid_t group = 0;
};

Result<Home> open_home(const std::string& path) {
  Home home;
  home.directory = TRY(os::open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct stat info {};
  if (::fstat(home.directory.get(), &info) < 0) return Error::from_errno(errno, "stat " + path);
  home.owner = info.st_uid;
  home.group = info.st_gid;
  return home;
}

/// Gives what was just made to the home's owner: as host root it isn't ours to keep.
Result<void> hand_over(const Home& home, int fd, const std::string& path) {
  if (::fchown(fd, home.owner, home.group) < 0) return Error::from_errno(errno, "chown " + path);
  return {};
}

/// Opens the directory of `relative_path`, making what is missing.
Result<os::Fd> open_parent(const Home& home, const std::string& relative_path) {
  os::Fd directory = TRY(home.directory.duplicate());
  std::size_t start = 0;
  for (auto slash = relative_path.find('/'); slash != std::string::npos;
       slash = relative_path.find('/', start)) {
    auto name = relative_path.substr(start, slash - start);
    start = slash + 1;
    bool made = ::mkdirat(directory.get(), name.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) return Error::from_errno(errno, "mkdir " + name);
    auto next = TRY(os::open_beneath(directory.get(), name, O_RDONLY | O_DIRECTORY));
    if (made) TRY(hand_over(home, next.get(), name));
    directory = std::move(next);
  }
  return directory;
}

std::string last_part(const std::string& relative_path) {
  auto slash = relative_path.rfind('/');
  return slash == std::string::npos ? relative_path : relative_path.substr(slash + 1);
}

Result<void> create_file(const Home& home, int directory, const std::string& name, std::string_view content) {
  // O_EXCL: whatever the jar has put there meanwhile is never opened.
  auto file = TRY(os::open_beneath(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600));
  TRY(os::write_all(file.get(), as_bytes(content)));
  return hand_over(home, file.get(), name);
}

/// As inside a JSON string (and a TOML basic string, whose escapes include these).
std::string escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (code < 0x20 || code == 0x7f)
      out += fmt::format("\\u{:04x}", code);
    else
      out += c;
  }
  return out;
}

void replace_all(std::string& text, std::string_view mark, std::string_view value) {
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
}

std::string fill_in(std::string text, const std::string& workspace, const std::string& value) {
  constexpr std::size_t kTail = 20;
  replace_all(text, "${workspace}", escape(workspace));
  replace_all(text, "${value}", escape(value));
  replace_all(text, "${value_tail}",
              escape(value.size() > kTail ? value.substr(value.size() - kTail) : value));
  return text;
}

bool exists(int directory, const std::string& name, struct stat& info) {
  return ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/// The login came later than the file.
Result<void> merge_into(const Home& home, int directory, const std::string& name, std::string_view wanted) {
  auto file = os::open_beneath(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  struct stat info {};
  if (!file || ::fstat(file->get(), &info) < 0 || !S_ISREG(info.st_mode)) return {};  // the jar's own affair
  auto present = os::read_all(file->get(), kMaxMerged);
  auto merged = present ? merge_json(*present, wanted) : std::nullopt;
  if (!merged) return {};
  auto beside = name + ".belljar-new";
  ::unlinkat(directory, beside.c_str(), 0);  // of a start that was cut off
  TRY(create_file(home, directory, beside, *merged));
  if (::renameat(directory, beside.c_str(), directory, name.c_str()) < 0)
    return Error::from_errno(errno, "replace " + name);
  return {};
}

bool newer(const timespec& a, const timespec& b) {
  return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

}  // namespace

Result<void> plant_seeds(const std::vector<Seed>& seeds, const std::string& home_path,
                         const std::string& workspace, const std::map<std::string, std::string>& variables) {
  if (seeds.empty()) return {};
  auto home = TRY(open_home(home_path));
  for (const auto& seed : seeds) {
    auto variable = variables.find(seed.needs);
    if (!seed.needs.empty() && variable == variables.end()) continue;
    auto directory = TRY(open_parent(home, seed.path).context("preparing ~/" + seed.path));
    struct stat info {};
    auto name = last_part(seed.path);
    auto text = fill_in(seed.text, workspace, seed.needs.empty() ? "" : variable->second);
    if (exists(directory.get(), name, info)) {
      if (!seed.needs.empty())
        TRY(merge_into(home, directory.get(), name, text).context("preparing ~/" + seed.path));
      continue;
    }
    TRY(create_file(home, directory.get(), name, text).context("preparing ~/" + seed.path));
  }
  return {};
}

Result<bool> copy_into_home(const std::string& host_home, const std::string& relative_path,
                            const std::string& home_path) {
  auto source_path = host_home + "/" + relative_path;
  struct stat source {};
  if (::stat(source_path.c_str(), &source) < 0 || !S_ISREG(source.st_mode)) return false;
  auto home = TRY(open_home(home_path));
  auto directory = TRY(open_parent(home, relative_path).context("preparing ~/" + relative_path));
  auto name = last_part(relative_path);
  struct stat present {};
  if (exists(directory.get(), name, present)) {
    if (!newer(source.st_mtim, present.st_mtim)) return true;
    if (::unlinkat(directory.get(), name.c_str(), 0) < 0)
      return Error::from_errno(errno, "replace ~/" + relative_path);
  }
  auto content = TRY(os::read_file(source_path, kMaxLoginFile));
  TRY(create_file(home, directory.get(), name, content).context("preparing ~/" + relative_path));
  return true;
}

Result<void> link_in_home(const std::string& home_path, const std::string& link, const std::string& target) {
  auto home = TRY(open_home(home_path));
  auto directory = TRY(open_parent(home, link));
  auto name = last_part(link);
  struct stat present {};
  if (exists(directory.get(), name, present)) {
    if (!S_ISLNK(present.st_mode)) return {};
    if (::unlinkat(directory.get(), name.c_str(), 0) < 0)
      return Error::from_errno(errno, "replace ~/" + link);
  }
  if (::symlinkat(target.c_str(), directory.get(), name.c_str()) < 0)
    return Error::from_errno(errno, "link ~/" + link);
  if (::fchownat(directory.get(), name.c_str(), home.owner, home.group, AT_SYMLINK_NOFOLLOW) < 0)
    return Error::from_errno(errno, "chown ~/" + link);
  return {};
}

}  // namespace belljar::agents
