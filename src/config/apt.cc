// apt's sources: the system's own, in the format of one line each and in that of paragraphs
// (sources.list(5)).
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include <fmt/core.h>

#include "config/tool_files.h"

namespace belljar::config {

namespace {

constexpr std::size_t kMaxFiles = 256;

/// What is in no network (cdrom:, file:), or is found only by another way (mirror+https:, tor+http:), has no
/// rule.
void add(const std::string& url, const std::string& origin, Registries& registries) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) return;
  if (auto parsed = parse_registry_url(url, origin, registries.notes))
    registries.apt.push_back(parsed->registry);
}

/// deb [ option=value … ] URI suite component …
void read_line(const std::string& line, const std::string& origin, Registries& registries) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string word;
  if (!(words >> word) || (word != "deb" && word != "deb-src") || !(words >> word)) return;
  if (word.front() == '[')
    while (word.back() != ']')
      if (!(words >> word)) return;
  if (word.back() == ']' && !(words >> word)) return;
  add(word, origin, registries);
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Fields of one source, until an empty line; "URIs" may go on over indented lines.
class Paragraph {
 public:
  void read(const std::string& line) {
    bool goes_on = line.front() == ' ' || line.front() == '\t';
    auto colon = line.find(':');
    if (!goes_on && colon == std::string::npos) return;
    auto value = goes_on ? line : line.substr(colon + 1);
    if (!goes_on) field_ = in_lower_case(line.substr(0, colon));
    std::istringstream words(value);
    for (std::string word; words >> word;) {
      if (field_ == "uris") urls_.push_back(word);
      if (field_ == "enabled") enabled_ = in_lower_case(word) != "no" && in_lower_case(word) != "false";
    }
  }

  void finish(const std::string& origin, Registries& registries) {
    if (enabled_)
      for (const auto& url : urls_)
        add(url, origin, registries);
    *this = Paragraph();
  }

 private:
  std::string field_;
  std::vector<std::string> urls_;
  bool enabled_ = true;
};

void read_paragraphs(const std::string& text, const std::string& origin, Registries& registries) {
  std::istringstream lines(text);
  Paragraph paragraph;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      paragraph.finish(origin, registries);
    else if (line.front() != '#')
      paragraph.read(line);
  }
  paragraph.finish(origin, registries);
}

void read_lines(const std::string& text, const std::string& origin, Registries& registries) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    read_line(line, origin, registries);
}

std::vector<std::string> files_of(const ToolHost& host) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator parts(host.root + "/etc/apt/sources.list.d", error);
  for (; !error && parts != std::filesystem::directory_iterator() && files.size() < kMaxFiles;
       parts.increment(error)) {
    auto extension = parts->path().extension();
    if (extension == ".list" || extension == ".sources") files.push_back(parts->path().string());
  }
  std::sort(files.begin(), files.end());
  files.insert(files.begin(), host.root + "/etc/apt/sources.list");
  return files;
}

}  // namespace

void read_apt(const ToolHost& host, Registries& registries) {
  for (const auto& path : files_of(host)) {
    auto text = read_tool_file(host, path, registries.notes);
    if (!text) continue;
    auto origin = shown_path(host, path);
    if (path.ends_with(".sources"))
      read_paragraphs(*text, origin, registries);
    else
      read_lines(*text, origin, registries);
  }
}

}  // namespace belljar::config
