#include "cli/login.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/home.h"
#include "os/fd.h"

namespace belljar::cli {

namespace {

std::string answer_path(const agents::Profile& profile, const keeper::Directories& directories) {
  return directories.state + "/logins/" + profile.name;
}

Result<void> keep_answer(const agents::Profile& profile, bool use, const keeper::Directories& directories) {
  TRY(os::create_directories(directories.state + "/logins"));
  return os::write_file_atomically(answer_path(profile, directories), use ? "use\n" : "don't use\n");
}

std::string described(const FoundLogin& found) {
  std::vector<std::string> parts = found.variables;
  for (const auto& file : found.files)
    parts.push_back("~/" + file);
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool ask(const agents::Profile& profile, const FoundLogin& found) {
  fmt::print(
      stderr,
      "belljar: this host has a login for {} ({}).\n"
      "It would enter the jar as it is: what runs in the jar can read it, and can use it on the hosts that\n"
      "the policy allows (belljar policy show --agent {}). Use it in jars? [Y/n] ",
      profile.name, described(found), profile.name);
  std::fflush(stderr);
  std::string line;
  if (!std::getline(std::cin, line)) return false;
  return line.empty() || line.front() == 'y' || line.front() == 'Y';
}

}  // namespace

FoundLogin find_login(const agents::Profile& profile, const std::string& user_home) {
  FoundLogin found;
  for (const auto& name : profile.login_variables) {
    const char* value = std::getenv(name.c_str());
    if (value != nullptr && *value != '\0') found.variables.push_back(name);
  }
  for (const auto& file : profile.login_files) {
    struct stat info {};
    if (::stat((user_home + "/" + file).c_str(), &info) == 0 && S_ISREG(info.st_mode))
      found.files.push_back(file);
  }
  return found;
}

Result<bool> may_use_login(const agents::Profile& profile, const FoundLogin& found, std::optional<bool> asked,
                           const keeper::Directories& directories) {
  if (!found.any()) return false;
  if (asked) {
    TRY(keep_answer(profile, *asked, directories));
    return *asked;
  }
  auto kept = os::read_file(answer_path(profile, directories), 64);
  if (kept) return *kept == "use\n";
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) {
    fmt::print(stderr,
               "belljar: this host's login for {0} ({1}) stays outside, since nobody was asked yet.\n"
               "         To use it in jars from now on: belljar --use-login {0} …\n",
               profile.name, described(found));
    return false;
  }
  bool use = ask(profile, found);
  TRY(keep_answer(profile, use, directories));
  return use;
}

Result<void> hand_login(const FoundLogin& found, const std::string& user_home, const std::string& jar_home,
                        Environment& environment) {
  for (const auto& name : found.variables)
    TRY(add_variable(environment, name));
  for (const auto& file : found.files)
    (void)TRY(agents::copy_into_home(user_home, file, jar_home));
  return {};
}

}  // namespace belljar::cli
