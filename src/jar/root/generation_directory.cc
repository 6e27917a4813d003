#include "jar/root/generation_directory.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::jar {

namespace {

std::string current_record(const std::string& state_directory) { return state_directory + "/generation"; }
std::string other_record(const std::string& state_directory) { return state_directory + "/other-generation"; }

std::string read_record(const std::string& path) { return os::read_file(path, 128).value_or(""); }

GenerationOf kind_of(const std::string& name) {
  return name.starts_with(kImageGeneration) ? GenerationOf::image : GenerationOf::host;
}

}  // namespace

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string this_boot() {
  auto text = os::read_file("/proc/sys/kernel/random/boot_id", 64).value_or("");
  return text.substr(0, text.find('\n'));
}

Result<void> mark(const std::string& path, std::string_view text) {
  return os::replace_file(path, text, 0644);
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), &::closedir);
  if (!listing) return names;
  while (const auto* entry = ::readdir(listing.get()))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  return names;
}

std::optional<Generation> open_generation_at(const std::string& path) {
  Generation generation{.directory = path, .lock = {}};
  generation.lock = os::Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!generation.lock || ::flock(generation.lock.get(), LOCK_SH | LOCK_NB) < 0) return std::nullopt;
  struct stat locked {
  }, named{};
  // Whoever sweeps may have taken it between the two calls.
  if (::fstat(generation.lock.get(), &locked) < 0 || ::stat(path.c_str(), &named) < 0 ||
      locked.st_ino != named.st_ino)
    return std::nullopt;
  if (exists(path + "/broken")) return std::nullopt;
  generation.settled = exists(path + "/settled");
  // What never came to the disk did not outlive its boot.
  if (!generation.settled && os::read_file(path + "/made", 64).value_or("") != this_boot())
    return std::nullopt;
  generation.saved = exists(path + "/saved");
  return generation;
}

Result<void> put_aside(const std::string& roots_directory, const std::string& name) {
  auto from = roots_directory + "/" + name;
  for (int number = 0;; ++number) {
    auto to = fmt::format("{}/old-{}-{}", roots_directory, name, number);
    if (::rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT) return {};
    if (errno != EEXIST && errno != ENOTEMPTY) return Error::from_errno(errno, "move " + from + " aside");
  }
}

std::string recorded_generation(const std::string& state_directory, GenerationOf what) {
  for (const auto& path : {current_record(state_directory), other_record(state_directory)})
    if (auto name = read_record(path); !name.empty() && kind_of(name) == what) return name;
  return "";
}

std::vector<std::string> recorded_generations(const std::string& state_directory) {
  std::vector<std::string> names;
  for (const auto& path : {current_record(state_directory), other_record(state_directory)})
    if (auto name = read_record(path); !name.empty()) names.push_back(std::move(name));
  return names;
}

Result<void> record_generation(const std::string& state_directory, const std::string& name) {
  auto before = read_record(current_record(state_directory));
  if (before == name) return {};
  if (!before.empty() && kind_of(before) != kind_of(name))
    TRY(os::replace_file(other_record(state_directory), before));
  return os::replace_file(current_record(state_directory), name);
}

}  // namespace belljar::jar
