// pip's configuration: the environment before the user's pip.conf before the system's.
#include <sstream>

#include <fmt/core.h>

#include "config/tool_files.h"

namespace belljar::config {

namespace {

struct Setting {
  std::string value;  ///< addresses, separated by white space
  std::string origin;
};

struct Option {
  std::string key;       ///< in pip.conf
  std::string variable;  ///< in the environment
};

/// What a pip.conf says of an option: in [global], or for one of the commands that fetch.
std::optional<Setting> from_file(const ToolHost& host, const std::string& path, const Option& option,
                                 std::vector<std::string>& notes) {
  std::optional<Setting> found;
  for (const auto& entry : read_ini(host, path, true, notes)) {
    auto key = entry.key;
    for (auto& c : key)
      if (c == '_') c = '-';
    bool counts = entry.section == "global" || entry.section == "install" || entry.section == "download" ||
                  entry.section == "wheel";
    if (!counts || key != option.key || entry.value.empty()) continue;
    if (found)
      found->value += "\n" + entry.value;
    else
      found = Setting{.value = entry.value, .origin = shown_path(host, path)};
  }
  return found;
}

std::vector<std::string> files_of(const ToolHost& host) {
  if (auto file = variable_of(host, "PIP_CONFIG_FILE")) return {*file};
  auto config = variable_of(host, "XDG_CONFIG_HOME").value_or(host.home + "/.config");
  return {config + "/pip/pip.conf", host.home + "/.pip/pip.conf", host.root + "/etc/pip.conf",
          host.root + "/etc/xdg/pip/pip.conf"};
}

std::optional<Setting> find_setting(const ToolHost& host, const Option& option,
                                    std::vector<std::string>& notes) {
  if (auto value = variable_of(host, option.variable))
    return Setting{.value = *value, .origin = option.variable};
  for (const auto& path : files_of(host))
    if (auto setting = from_file(host, path, option, notes)) return setting;
  return {};
}

/// Adds the addresses of a setting; the first of them without credentials, all in `texts`.
void add(const Setting& setting, Registries& registries, std::vector<std::string>& texts) {
  std::istringstream words(setting.value);
  for (std::string word; words >> word;) {
    auto url = parse_registry_url(word, setting.origin, registries.notes);
    if (!url) continue;
    registries.pypi.push_back(url->registry);
    texts.push_back(url->text);
  }
}

void write(const std::string& key, const std::vector<std::string>& texts, std::string& out) {
  if (texts.empty()) return;
  if (out.empty()) out = "[global]\n";
  out += key + " =";
  for (const auto& text : texts)
    out += (texts.size() == 1 ? " " : "\n    ") + text;
  out += "\n";
}

}  // namespace

void read_pip(const ToolHost& host, Registries& registries) {
  std::vector<std::string> notes;
  std::vector<std::string> index;
  std::vector<std::string> extra;
  if (auto setting = find_setting(host, {.key = "index-url", .variable = "PIP_INDEX_URL"}, notes)) {
    add(*setting, registries, index);
  } else {
    // The index names files on the second host.
    for (auto name : {"pypi.org", "files.pythonhosted.org"})
      registries.pypi.push_back({.host = name, .origin = "pip's default"});
  }
  registries.notes.insert(registries.notes.end(), notes.begin(), notes.end());
  std::vector<std::string> seen;  // unreadable files are noted once
  if (auto setting = find_setting(host, {.key = "extra-index-url", .variable = "PIP_EXTRA_INDEX_URL"}, seen))
    add(*setting, registries, extra);
  write("index-url", index, registries.pip_conf);
  write("extra-index-url", extra, registries.pip_conf);
}

}  // namespace belljar::config
