#include "config/rules_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "config/config.h"
#include "config/document.h"
#include "config/rules.h"
#include "os/fd.h"
#include "policy/path.h"

namespace belljar::config {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out + "\"";
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const auto& text : texts)
    parts.push_back(quoted(text));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// Held while the file is read, changed and replaced: the directory, since the file itself is replaced.
Result<os::Fd> lock_directory_of(const std::string& path) {
  auto slash = path.rfind('/');
  CHECK(slash != std::string::npos && slash > 0);
  auto directory = path.substr(0, slash);
  TRY(os::create_directories(directory));
  auto fd = TRY(os::open_file(directory, O_RDONLY | O_DIRECTORY));
  while (::flock(fd.get(), LOCK_EX) < 0)
    if (errno != EINTR) return Error::from_errno(errno, "lock " + directory);
  return fd;
}

Result<std::string> read_or_empty(const RulesFile& file) {
  auto text = read_placed(file.path, file.shown_path, kMaxDocument, file.written);
  if (!text && text.error().code() == ErrorCode::not_found) return std::string();
  return text;
}

bool says_the_same(const policy::Rule& a, const policy::Rule& b) {
  auto sorted = [](auto schemes) {
    std::sort(schemes.begin(), schemes.end());
    return schemes;
  };
  return a.verdict == b.verdict && a.host == b.host && sorted(a.schemes) == sorted(b.schemes) &&
         a.ports == b.ports && a.methods == b.methods && a.paths == b.paths;
}

bool matches(const RuleFilter& filter, const policy::Rule& rule) {
  return rule.verdict == filter.verdict && rule.host == filter.host &&
         (!filter.methods || *filter.methods == rule.methods) &&
         (!filter.paths || *filter.paths == rule.paths) && (!filter.ports || *filter.ports == rule.ports);
}

Result<std::vector<std::string>> normalised(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const auto& path : paths)
    out.push_back(TRY(policy::PathGlob::parse(path)).text());
  return out;
}

/// As the same rule reads once it was written down.
Result<policy::Rule> canonical(policy::Rule rule) {
  std::sort(rule.schemes.begin(), rule.schemes.end());
  rule.paths = TRY(normalised(rule.paths));
  return rule;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    auto end = std::min(text.find('\n', start), text.size() - 1);
    lines.push_back(text.substr(start, end - start + 1));
    start = end + 1;
  }
  return lines;
}

/// Marks the lines of a block: its header and its keys with their values, not the comments between them.
Result<void> mark_block(const Node& block, const std::vector<std::string>& lines, std::vector<bool>& marked,
                        const std::string& place) {
  const auto& header = lines.at(block.begin.line - 1);
  if (!header.substr(header.find_first_not_of(" \t")).starts_with("[["))
    return Error(ErrorCode::unsupported, place + ": this rule is written inline; take it out with an editor")
        .with_hint(edit_command(place.substr(0, place.find(':')), block.begin.line));
  marked.at(block.begin.line - 1) = true;
  for (const auto& entry : block.entries)
    for (auto line = entry.position.line; line <= entry.value.end.line; ++line)
      marked.at(line - 1) = true;
  return {};
}

/// The blocks of one verdict that the filter names.
Result<std::vector<const Node*>> find_blocks(const Node& root, const RuleFilter& filter,
                                             const std::string& shown_path) {
  std::vector<const Node*> found;
  const auto* egress = root.find("egress");
  const auto* list = egress == nullptr ? nullptr : egress->value.find(name_of(filter.verdict));
  if (list == nullptr) return found;
  for (const auto& block : list->value.items) {
    Problems problems(shown_path);
    Config config;
    read_rule(block, filter.verdict, problems, config);
    auto count = std::count_if(config.rules.begin(), config.rules.end(),
                               [&](const policy::Rule& rule) { return matches(filter, rule); });
    if (count == 0) continue;
    if (config.rules.size() > 1)
      return Error(ErrorCode::unsupported,
                   problems.place(block.begin) + ": this rule names several hosts; change it with an editor")
          .with_hint(edit_command(shown_path, block.begin.line));
    found.push_back(&block);
  }
  return found;
}

}  // namespace

std::string to_toml(const policy::Rule& rule) {
  bool denies = rule.verdict == policy::Verdict::deny;
  auto out = fmt::format("[[egress.{}]]\nhost = {}\n", name_of(rule.verdict), quoted(rule.host.text()));
  auto usual = denies ? std::vector<std::string>{"*"} : std::vector<std::string>{"GET", "HEAD"};
  if (rule.methods != usual) out += fmt::format("methods = {}\n", quoted_list(rule.methods));
  if (!rule.paths.empty()) out += fmt::format("paths = {}\n", quoted_list(rule.paths));
  if (!rule.ports.empty()) out += fmt::format("ports = [{}]\n", fmt::join(rule.ports, ", "));
  auto both = std::vector{policy::Scheme::http, policy::Scheme::https};
  if (rule.schemes != (denies ? both : std::vector{policy::Scheme::https})) {
    std::vector<std::string> names;
    for (auto scheme : rule.schemes)
      names.emplace_back(name_of(scheme));
    out += fmt::format("schemes = {}\n", quoted_list(names));
  }
  if (!rule.reason.empty()) out += fmt::format("reason = {}\n", quoted(rule.reason));
  return out;
}

namespace {

/// The text of the file with the rule in it; nothing where it has it already.
Result<std::optional<std::string>> with_rule(const RulesFile& file, const policy::Rule& wanted) {
  auto rule = TRY(canonical(wanted));
  auto text = TRY(read_or_empty(file));
  auto before = TRY(parse_config(text, file.shown_path));
  for (const auto& other : before.rules)
    if (says_the_same(other, rule)) return std::optional<std::string>{};
  if (!text.empty() && text.back() != '\n') text += '\n';
  if (!text.empty()) text += '\n';
  text += to_toml(rule);
  // What is written must read as what was meant: an inline `egress` in the file, or a rule that says
  // something else on paper, is found here and not at the next start.
  auto after = TRY(parse_config(text, file.shown_path).context("adding the rule"));
  if (after.rules.size() != before.rules.size() + 1 ||
      std::none_of(after.rules.begin(), after.rules.end(),
                   [&](const auto& other) { return says_the_same(other, rule); }))
    return Error(ErrorCode::invalid_argument, "the rule can't be written down as it is");
  return std::optional<std::string>(std::move(text));
}

}  // namespace

Result<bool> check_rule(const RulesFile& file, const policy::Rule& rule) {
  auto text = TRY(with_rule(file, rule));
  return text.has_value();
}

Result<bool> add_rule(const RulesFile& file, const policy::Rule& rule) {
  auto lock = TRY(lock_directory_of(file.path));
  auto text = TRY(with_rule(file, rule));
  if (!text) return false;
  TRY(os::write_file_atomically(file.path, *text));
  return true;
}

Result<std::size_t> remove_rules(const RulesFile& file, const RuleFilter& wanted) {
  auto filter = wanted;
  if (filter.paths) filter.paths = TRY(normalised(*filter.paths));
  auto lock = TRY(lock_directory_of(file.path));
  auto text = TRY(read_or_empty(file));
  auto before = TRY(parse_config(text, file.shown_path));
  auto root = TRY(parse_document(text, file.shown_path));
  auto blocks = TRY(find_blocks(root, filter, file.shown_path));
  if (blocks.empty()) return std::size_t{0};

  auto lines = split_lines(text);
  std::vector<bool> marked(lines.size());
  Problems places(file.shown_path);
  for (const auto* block : blocks)
    TRY(mark_block(*block, lines, marked, places.place(block->begin)));
  std::string rest;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool blank = lines[i].find_first_not_of(" \t\r\n") == std::string::npos;
    bool after_gap = rest.empty() || rest.ends_with("\n\n");
    if (!marked[i] && !(blank && after_gap && i > 0 && marked[i - 1])) rest += lines[i];
  }
  auto after = TRY(parse_config(rest, file.shown_path).context("taking the rule out"));
  if (after.rules.size() + blocks.size() != before.rules.size())
    return Error(ErrorCode::unsupported,
                 file.shown_path + ": the rule can't be taken out alone; use an editor")
        .with_hint(edit_command(file.shown_path, 1));
  TRY(os::write_file_atomically(file.path, rest));
  return blocks.size();
}

}  // namespace belljar::config
