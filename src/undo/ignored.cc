#include "undo/ignored.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>

#include "os/fd.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kMaxPath = 4096;       // PATH_MAX; git opens no longer one
constexpr std::uint64_t kOpening = 50'000;   // steps
constexpr std::size_t kSearchedAtOnce = 16;  // bytes of an index, in a step

/// `text` stays empty where there is none; false where it is longer than `limit`.
bool read_beneath(int workspace, const std::string& path, std::size_t limit, std::string& text) {
  auto file = os::open_beneath(workspace, path, O_RDONLY | O_NONBLOCK);
  if (!file) return true;
  auto read = os::read_all(file->get(), limit);
  if (read) text = std::move(*read);
  return read || read.error().code() != ErrorCode::limit_exceeded;
}

/// False at their end; there are none left then.
bool take_steps(std::uint64_t& steps, std::uint64_t taken) {
  bool enough = taken <= steps;
  steps = enough ? steps - taken : 0;
  return enough;
}

/// "[a-z]" at the front of a pattern against one character: how long the set is, 0 when it is none.
std::size_t match_set(std::string_view pattern, char wanted, bool& matched) {
  std::size_t at = 1;
  bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  matched = false;
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == ']' && !first) {
      if (negated) matched = !matched;
      return at + 1;
    }
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    char low = pattern[at++];
    char high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      high = pattern[at + 1];
      at += 2;
    }
    if (low <= wanted && wanted <= high) matched = true;
  }
  return 0;
}

/// One character of the pattern (not a star) against one of the text: the pattern's length, 0 for no match.
std::size_t match_one(std::string_view pattern, char wanted, std::uint64_t& steps) {
  if (pattern.empty()) return 0;
  if (pattern[0] == '?') return wanted != '/' ? 1 : 0;
  if (pattern[0] == '[') {
    bool matched = false;
    auto length = match_set(pattern, wanted, matched);
    if (!take_steps(steps, length == 0 ? pattern.size() : length)) return 0;
    if (length != 0) return matched && wanted != '/' ? length : 0;
  }
  if (pattern[0] == '\\' && pattern.size() > 1) return pattern[1] == wanted ? 2 : 0;
  return pattern[0] == wanted ? 1 : 0;
}

std::string_view next_line(std::string_view& text) {
  auto end = std::min(text.find('\n'), text.size());
  auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') && !line.ends_with("\\ "))
    line.remove_suffix(1);
  return line;
}

}  // namespace

/// Backtracks to the last "*" and the last "**" only, so that its time is bounded by the product of lengths.
bool matches_glob(std::string_view pattern, std::string_view text, std::uint64_t& steps) {
  struct Star {
    std::size_t pattern = std::string_view::npos;
    std::size_t text = 0;
  };
  Star one;   // stops at a slash
  Star deep;  // doesn't
  std::size_t p = 0;
  std::size_t t = 0;
  while (t < text.size() || p < pattern.size()) {
    if (!take_steps(steps, 1)) return false;
    if (p < pattern.size() && pattern[p] == '*') {
      bool is_deep = pattern.substr(p).starts_with("**") && (p == 0 || pattern[p - 1] == '/') &&
                     (p + 2 == pattern.size() || pattern[p + 2] == '/');
      while (p < pattern.size() && pattern[p] == '*')
        ++p;
      if (is_deep) {
        if (p < pattern.size()) ++p;  // "**/" is also nothing at all
        deep = {p, t};
        one = {};
      } else {
        one = {p, t};
      }
      continue;
    }
    auto length = t < text.size() ? match_one(pattern.substr(p), text[t], steps) : 0;
    if (length != 0) {
      p += length;
      ++t;
      continue;
    }
    if (one.pattern != std::string_view::npos && one.text < text.size() && text[one.text] != '/') {
      p = one.pattern;
      t = ++one.text;
    } else if (deep.pattern != std::string_view::npos && deep.text < text.size()) {
      ++deep.text;
      // "**/x" goes on behind the next slash, a last "**" anywhere.
      if (deep.pattern < pattern.size())
        while (deep.text < text.size() && text[deep.text - 1] != '/')
          ++deep.text;
      p = deep.pattern;
      t = deep.text;
      one = {};
    } else {
      return false;
    }
  }
  return true;
}

int judge_ignored(std::string_view patterns, std::string_view path, bool is_directory, std::uint64_t& steps) {
  int verdict = 0;
  while (!patterns.empty()) {
    auto line = next_line(patterns);
    if (!take_steps(steps, 1 + line.size())) return 0;
    if (line.empty() || line[0] == '#') continue;
    bool negated = line[0] == '!';
    if (negated) line.remove_prefix(1);
    bool only_directories = line.ends_with('/');
    if (only_directories) line.remove_suffix(1);
    if (line.empty() || (only_directories && !is_directory)) continue;
    bool anchored = line.find('/') != std::string_view::npos;
    if (line[0] == '/') line.remove_prefix(1);
    auto against = anchored ? path : path.substr(path.rfind('/') + 1);
    if (matches_glob(line, against, steps)) verdict = negated ? -1 : 1;
  }
  return steps == 0 ? 0 : verdict;
}

/// Each file of rules is looked for once. One that there is no place for ends it all: what it says is not
/// known, so nothing is ignored any more.
std::string_view Ignored::rules_of(int workspace, const std::string& file) {
  auto known = rules_.find(file);
  if (known != rules_.end()) return known->second;
  if (!take_steps(budget_.steps, kOpening)) return {};
  std::string rules;
  if (!read_beneath(workspace, file, budget_.patterns, rules)) budget_.steps = 0;
  budget_.patterns -= std::min(budget_.patterns, rules.size());
  return rules_.emplace(file, std::move(rules)).first->second;
}

/// Where that can't be known any more, it counts as tracked.
bool Ignored::is_tracked(int workspace, const std::string& path) {
  if (!index_) {
    index_.emplace();
    if (!read_beneath(workspace, ".git/index", budget_.index, *index_)) budget_.steps = 0;
  }
  if (!take_steps(budget_.steps, 1 + index_->size() / kSearchedAtOnce)) return true;
  // memmem's time is linear, that of std::string::find is not.
  return ::memmem(index_->data(), index_->size(), path.data(), path.size()) != nullptr;
}

bool Ignored::is_ignored(int workspace, const std::string& path) {
  if (path.size() > kMaxPath || path.starts_with(".git/") || path.find("/.git/") != std::string::npos)
    return false;
  // From the top down: what is below an ignored directory is ignored, whatever is said there.
  std::vector<std::pair<std::size_t, std::string_view>> rules{// where their directory's name ends, patterns
                                                              {0, rules_of(workspace, ".git/info/exclude")}};
  for (std::size_t at = 0;;) {
    rules.emplace_back(at, rules_of(workspace, path.substr(0, at) + ".gitignore"));
    auto slash = path.find('/', at);
    bool last = slash == std::string::npos;
    auto part = std::string_view(path).substr(0, slash);
    int verdict = 0;
    for (const auto& [base, patterns] : rules)
      if (int one = judge_ignored(patterns, part.substr(base), !last, budget_.steps); one != 0) verdict = one;
    if (!take_steps(budget_.steps, rules.size())) return false;
    if (verdict > 0) return !is_tracked(workspace, path);
    if (last) return false;
    at = slash + 1;
  }
}

}  // namespace belljar::undo
