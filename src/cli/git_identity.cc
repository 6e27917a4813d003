#include "cli/git_identity.h"

#include <map>

#include "jar/workspace/git_config.h"
#include "os/fd.h"

namespace belljar::cli {

namespace {

/// As git-config(1) writes a value between quotes.
std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\n') out += c;
  }
  return out + "\"";
}

}  // namespace

std::string git_identity(const keeper::Directories& directories) {
  auto xdg = directories.config.substr(0, directories.config.rfind('/')) + "/git/config";
  std::map<std::string, std::string> found;
  for (const auto& path : {xdg, directories.user_home + "/.gitconfig"}) {  // the later one wins, as in git
    auto text = os::read_file(path, 1U << 20);
    if (!text) continue;
    for (const auto& setting : jar::parse_git_config(*text))
      if (setting.name == "user.name" || setting.name == "user.email") found[setting.name] = setting.value;
  }
  if (found.empty()) return "";
  std::string config = "[user]\n";
  for (const auto& [name, value] : found)
    config += "\t" + name.substr(name.find('.') + 1) + " = " + quoted(value) + "\n";
  return config;
}

}  // namespace belljar::cli
