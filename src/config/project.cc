#include "config/project.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "config/document.h"
#include "config/table_reader.h"
#include "os/fd.h"

namespace belljar::config {

namespace {

std::string described(const policy::Rule& rule, std::string_view whom) {
  // Who comes first: whatever follows, and however long it is, can't hide it.
  auto text = fmt::format("{}: {} {}", whom, name_of(rule.verdict), fmt::join(rule.methods, ", "));
  if (rule.methods.front() == "*") text = fmt::format("{}: {} every method", whom, name_of(rule.verdict));
  if (!rule.ports.empty()) text += fmt::format(" on port {}", fmt::join(rule.ports, ", "));
  for (auto scheme : rule.schemes)
    if (scheme == policy::Scheme::http && rule.verdict != policy::Verdict::deny) text += " over plain http";
  return text +
         (rule.paths.empty() ? " (any path)" : fmt::format(" (paths {})", fmt::join(rule.paths, ", ")));
}

class Comparison {
 public:
  Comparison(const Config& project, const Config& user) : project_(project), user_(user) {}

  std::vector<Change> take() {
    single("jar.agent", project_.agent, user_.agent);
    root();
    for (const auto& rule : project_.rules)
      changes_.push_back({.widens = rule.verdict != policy::Verdict::deny,
                          .what = described(rule, rule.host.text()),
                          .origin = rule.origin});
    for (const auto& registry : project_.registries)
      changes_.push_back(
          {.widens = registry.rule.verdict != policy::Verdict::deny,
           .what = described(registry.rule,
                             fmt::format("the registries of {}", fmt::join(registry.registries, " and "))),
           .origin = registry.rule.origin});
    limits();
    for (const auto& service : project_.services)
      changes_.push_back(
          {.widens = true,
           .what = fmt::format("reach the service {} on port {} of this host", service.name, service.port),
           .origin = service.origin});
    for (const auto& name : project_.passed_variables)
      changes_.push_back({.widens = true,
                          .what = fmt::format("pass your variable {} into the jar", name),
                          .origin = origin_of("env.pass." + name)});
    for (const auto& [name, value] : project_.variables)
      changes_.push_back({.widens = false,
                          .what = fmt::format("set {}={}", name, value),
                          .origin = origin_of("env." + name)});
    return std::move(changes_);
  }

 private:
  [[nodiscard]] std::string origin_of(const std::string& name) const {
    auto found = project_.origins.find(name);
    return found == project_.origins.end() ? "" : found->second;
  }

  void single(const std::string& name, const std::optional<std::string>& value,
              const std::optional<std::string>& own) {
    if (!value || value == own) return;
    changes_.push_back(
        {.widens = false, .what = fmt::format("{} = \"{}\"", name, *value), .origin = origin_of(name)});
  }

  /// Your skopeo fetches it, and what the agent is run by is what somebody else made.
  void root() {
    if (!project_.image || (project_.image == user_.image && project_.root == user_.root)) return;
    changes_.push_back(
        {.widens = true,
         .what = fmt::format("make the jar's system of the image {}, which skopeo fetches as you",
                             *project_.image),
         .origin = origin_of("jar.image")});
  }

  template <typename T, typename Show>
  void limit(const std::string& name, const std::optional<T>& value, const std::optional<T>& own, Show show,
             bool has_default = false) {
    if (!value || value == own) return;
    changes_.push_back({.widens = own ? *value > *own : has_default,
                        .what = fmt::format("{} = {} ({})", name, show(*value),
                                            own ? "yours is " + show(*own) : std::string("you set none")),
                        .origin = origin_of(name)});
  }

  void limits() {
    auto number = [](auto value) { return fmt::format("{}", value); };
    limit("limits.memory", project_.limits.memory, user_.limits.memory, format_size);
    limit("limits.cpus", project_.limits.cpus, user_.limits.cpus, number);
    limit("limits.pids", project_.limits.processes, user_.limits.processes, number, true);
    auto time = [](std::uint64_t seconds) { return format_duration(static_cast<std::int64_t>(seconds)); };
    limit("limits.wall", project_.limits.wall, user_.limits.wall, time);
    limit("limits.disk", project_.limits.disk, user_.limits.disk, format_size);
  }

  const Config& project_;
  const Config& user_;
  std::vector<Change> changes_;
};

}  // namespace

Result<std::optional<std::string>> read_project_file(const std::string& workspace) {
  auto directory = TRY(os::open_file(workspace, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  std::string name(kProjectFile);
  struct stat status {};
  if (::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) < 0) {
    if (errno == ENOENT) return std::optional<std::string>{};
    return Error::from_errno(errno, "look at " + name);
  }
  if (!S_ISREG(status.st_mode))
    return Error(ErrorCode::invalid_argument, name + " is no plain file, so it is not read")
        .with_hint("ls -l " + name);
  // Non-blocking: what it is now may not be what it was a moment ago.
  auto file = TRY(os::open_beneath(directory.get(), name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
  if (::fstat(file.get(), &status) < 0 || !S_ISREG(status.st_mode))
    return Error(ErrorCode::invalid_argument, name + " is no plain file, so it is not read");
  auto text = os::read_all(file.get(), kMaxProjectFile);
  if (!text && text.error().code() == ErrorCode::limit_exceeded)
    return Error(ErrorCode::limit_exceeded, name + " is longer than 64 KiB, so it is not read")
        .with_hint("wc -c " + name);
  return std::optional<std::string>(TRY(std::move(text)));
}

namespace {

Result<void> check_lines(std::string_view toml, const std::string& shown_path) {
  for (std::uint32_t line = 1; !toml.empty(); ++line) {
    auto end = std::min(toml.find('\n'), toml.size());
    if (end > kMaxProjectLine)
      return Error(ErrorCode::invalid_argument,
                   fmt::format("{}:{}:1: a line of a project's file has at most {} bytes, so that it can be "
                               "looked through",
                               shown_path, line, kMaxProjectLine));
    toml.remove_prefix(std::min(end + 1, toml.size()));
  }
  return {};
}

bool says_the_same(const Node& a, const Node& b) {
  if (a.kind != b.kind) return false;
  return (a.kind == Node::Kind::text && a.text == b.text) ||
         (a.kind == Node::Kind::integer && a.integer == b.integer);
}

void check_list(const Node& list, Problems& problems) {
  if (list.items.size() > kMaxProjectList) {
    problems.add(list.begin, fmt::format("a list of a project's file has at most {} items, so that it can be "
                                         "looked through",
                                         kMaxProjectList));
    return;
  }
  for (std::size_t n = 1; n < list.items.size(); ++n) {
    auto end = list.items.begin() + static_cast<std::ptrdiff_t>(n);
    auto same = [&](const Node& other) { return says_the_same(other, *end); };
    if (std::any_of(list.items.begin(), end, same)) problems.add(end->begin, "this stands in the list twice");
  }
}

Result<void> check_lists(const Node& root, const std::string& shown_path) {
  Problems problems(shown_path);
  std::vector<const Node*> left = {&root};
  while (!left.empty()) {
    const auto* node = left.back();
    left.pop_back();
    if (node->kind == Node::Kind::list) check_list(*node, problems);
    for (const auto& item : node->items)
      left.push_back(&item);
    for (const auto& entry : node->entries)
      left.push_back(&entry.value);
  }
  return problems.check();
}

}  // namespace

Result<Config> parse_project(std::string_view toml, const std::string& shown_path) {
  TRY(check_lines(toml, shown_path));
  auto root = TRY(parse_document(toml, shown_path));
  TRY(check_lists(root, shown_path));
  return parse_config(toml, shown_path, Author::project);
}

std::vector<Change> changes_of(const Config& project, const Config& user) {
  return Comparison(project, user).take();
}

}  // namespace belljar::config
