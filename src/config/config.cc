#include "config/config.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "config/image_reference.h"
#include "config/rules.h"
#include "config/table_reader.h"

namespace belljar::config {

namespace {

/// What is read into, and where what it says stands.
struct Reading {
  Problems& problems;
  Config& config;
  Author author;

  void note(const std::string& name, const Node* value) const {
    if (value != nullptr) config.origins[name] = problems.place(value->begin);
  }
};

/// A text that must be one of a few words; those of a later version are named as such.
std::optional<std::string> read_choice(TableReader& reader, std::string_view key,
                                       const std::vector<std::string>& choices,
                                       const std::vector<std::string>& later) {
  const auto* value = reader.any(key);
  if (value == nullptr) return {};
  if (value->kind != Node::Kind::text) {
    reader.complain_type(*value, key, "a text");
    return {};
  }
  std::string known;
  for (const auto& choice : choices) {
    if (value->text == choice) return value->text;
    known += (known.empty() ? "\"" : ", \"") + choice + "\"";
  }
  if (std::find(later.begin(), later.end(), value->text) != later.end()) {
    reader.complain(*value, fmt::format("{} \"{}\" is not yet supported in this version (known: {})", key,
                                        value->text, known));
    return {};
  }
  auto message = fmt::format("\"{}\" can't be \"{}\" (known: {})", key, value->text, known);
  if (auto meant = nearest(value->text, choices)) message += fmt::format("; did you mean \"{}\"?", *meant);
  reader.complain(*value, message);
  return {};
}

void complain_of_root(TableReader& reader, const Node* root, const Node* image, const Config& config) {
  if (config.root == "image" && image == nullptr)
    reader.complain(*root, "root \"image\" needs the image beside it, as in image = \"docker://debian:12\"");
  if (image != nullptr && config.root != "image")
    reader.complain(*image, "\"image\" is what root = \"image\" is made of, which does not stand beside it");
}

/// What the jar's system is made of. A project may only name an image of a registry: every other kind of root
/// is about this host, whose files it is not to choose.
void read_root(TableReader& reader, const Reading& reading) {
  auto& config = reading.config;
  bool is_project = reading.author == Author::project;
  const auto* root = reader.any("root");
  const auto* image = reader.any("image");
  if (is_project && root != nullptr && root->text != "image") {
    reader.refuse_to_project("root");
    return;
  }
  config.root = read_choice(reader, "root", {"auto", "metadata", "skeleton", "readonly", "image"}, {});
  config.image = reader.text("image");
  if (root == nullptr || config.root) complain_of_root(reader, root, image, config);
  if (!config.image) return;
  auto reference = parse_image_reference(*config.image);
  if (!reference)
    reader.complain(*image, reference.error().message());
  else if (is_project && !reference->of_registry)
    reader.complain(*image,
                    "a project may name an image of a registry (docker://…), none of this host's files");
}

void read_jar(const Node& table, const Reading& reading) {
  TableReader reader(table, "[jar]", reading.problems);
  auto& config = reading.config;
  config.agent = reader.text("agent");
  if (reading.author == Author::project) {
    for (const auto* key : {"backend", "allow_unguarded"})
      reader.refuse_to_project(key);
  } else {
    config.backend = read_choice(reader, "backend", {"auto", "namespace"}, {"vm"});
    config.allow_unguarded = reader.flag("allow_unguarded").value_or(false);
  }
  read_root(reader, reading);
  config.workspace = read_choice(reader, "workspace", {"bind"}, {"worktree", "clone"});
  for (const auto* key : {"agent", "backend", "workspace", "allow_unguarded", "root", "image"})
    reading.note(std::string("jar.") + key, reader.any(key));
  reader.finish();
}

void read_egress(const Node& table, const Reading& reading) {
  auto& problems = reading.problems;
  auto& config = reading.config;
  TableReader reader(table, "[egress]", problems);
  for (const auto* rule : reader.tables("allow"))
    read_rule(*rule, policy::Verdict::allow, problems, config);
  for (const auto* rule : reader.tables("deny"))
    read_rule(*rule, policy::Verdict::deny, problems, config);
  reader.refuse_for_now("hold");
  reader.finish();
}

void read_size(TableReader& reader, std::string_view key, std::optional<std::uint64_t>& size) {
  const auto* value = reader.any(key);
  if (value == nullptr) return;
  size = value->kind == Node::Kind::text ? parse_size(value->text) : std::nullopt;
  if (!size) reader.complain(*value, fmt::format("\"{}\" must be a size like \"5G\" or \"512M\"", key));
}

void read_undo(const Node& table, const Reading& reading) {
  TableReader reader(table, "[undo]", reading.problems);
  auto& undo = reading.config.undo;
  if (const auto* value = reader.any("keep")) {
    if (value->kind == Node::Kind::text) undo.keep = parse_duration(value->text);
    if (!undo.keep) reader.complain(*value, "\"keep\" must be a time like \"7d\" or \"12h\"");
  }
  read_size(reader, "size", undo.size);
  read_size(reader, "ignored", undo.ignored);
  for (const auto* key : {"keep", "size", "ignored"})
    reading.note(std::string("undo.") + key, reader.any(key));
  reader.finish();
}

void read_memory(TableReader& reader, Config& config) {
  const auto* value = reader.any("memory");
  if (value == nullptr) return;
  if (value->kind == Node::Kind::text)
    config.limits.memory = parse_size(value->text);
  else if (value->kind == Node::Kind::integer && value->integer > 0)
    config.limits.memory = static_cast<std::uint64_t>(value->integer);
  if (!config.limits.memory)
    reader.complain(*value, "\"memory\" must be a size like \"4G\" or \"512M\", or a number of bytes");
  else if (*config.limits.memory < kLeastMemory)
    reader.complain(*value,
                    fmt::format("\"memory\" is too small: {} bytes, and no jar starts in less than {}",
                                *config.limits.memory, format_size(kLeastMemory)));
}

void read_limits(const Node& table, const Reading& reading) {
  auto& config = reading.config;
  TableReader reader(table, "[limits]", reading.problems);
  read_memory(reader, config);
  if (const auto* value = reader.any("cpus")) {
    double cpus = value->kind == Node::Kind::integer ? static_cast<double>(value->integer) : value->real;
    if (std::isfinite(cpus) && cpus >= 0.01 && cpus <= 4096)
      config.limits.cpus = cpus;
    else
      reader.complain(*value, "\"cpus\" must be a number of cores from 0.01, like 2.0");
  }
  if (const auto* value = reader.any("pids")) {
    if (value->kind == Node::Kind::integer && value->integer > 0 && value->integer <= 4'194'304)
      config.limits.processes = static_cast<std::uint64_t>(value->integer);
    else
      reader.complain(*value, "\"pids\" must be a whole number of processes from 1");
  }
  if (const auto* value = reader.any("wall")) {
    auto seconds = value->kind == Node::Kind::text ? parse_duration(value->text) : std::nullopt;
    if (seconds) config.limits.wall = static_cast<std::uint64_t>(*seconds);
    if (!seconds) reader.complain(*value, "\"wall\" must be a time like \"8h\" or \"90m\"");
  }
  read_size(reader, "disk", config.limits.disk);
  if (config.limits.disk && *config.limits.disk < kLeastDisk)
    reader.complain(*reader.any("disk"),
                    fmt::format("\"disk\" is too small: the least is {}", format_size(kLeastDisk)));
  for (const auto* key : {"memory", "cpus", "pids", "wall", "disk"})
    reading.note(std::string("limits.") + key, reader.any(key));
  reader.refuse_for_now("budget");
  reader.finish();
}

bool is_service_name(std::string_view name) {
  if (name.empty() || name.size() > 63) return false;
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')) return false;
  return true;
}

void read_services(const Node& table, const Reading& reading) {
  auto& problems = reading.problems;
  auto& config = reading.config;
  for (const auto& entry : table.entries) {
    if (!is_service_name(entry.key)) {
      problems.add(entry.position,
                   fmt::format("\"{}\" can't name a service: small letters, digits, hyphens", entry.key));
    } else if (entry.value.kind != Node::Kind::integer || entry.value.integer < 1 ||
               entry.value.integer > 65535) {
      problems.add(entry.value.begin,
                   fmt::format("the service \"{}\" needs its port, a number from 1 to 65535", entry.key));
    } else {
      config.services.push_back({.name = entry.key,
                                 .port = static_cast<std::uint16_t>(entry.value.integer),
                                 .origin = problems.place(entry.position)});
    }
  }
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  return true;
}

void read_environment(const Node& table, const Reading& reading) {
  auto& problems = reading.problems;
  auto& config = reading.config;
  TableReader reader(table, "[env]", problems);
  for (const auto* value : reader.values("pass")) {
    if (value->kind == Node::Kind::text && is_variable_name(value->text)) {
      config.passed_variables.push_back(value->text);
      reading.note("env.pass." + value->text, value);
    } else
      problems.add(value->begin, "\"pass\" is a list of names of variables, as in [\"EDITOR\"]");
  }
  for (const auto& entry : table.entries) {
    if (entry.key == "pass") continue;
    if (!is_variable_name(entry.key))
      problems.add(entry.position, fmt::format("\"{}\" can't name a variable", entry.key));
    else if (entry.value.kind != Node::Kind::text)
      problems.add(entry.value.begin, fmt::format("the variable \"{}\" must be a text, not {}", entry.key,
                                                  describe(entry.value.kind)));
    else if (entry.value.text.find('\0') != std::string::npos)
      problems.add(entry.value.begin, fmt::format("the variable \"{}\" has a NUL in it", entry.key));
    else {
      config.variables[entry.key] = entry.value.text;
      reading.note("env." + entry.key, &entry.value);
    }
  }
}

}  // namespace

Result<Config> parse_config(std::string_view toml, const std::string& shown_path, Author author) {
  auto root = TRY(parse_document(toml, shown_path));
  Problems problems(shown_path);
  Config config;
  Reading reading{problems, config, author};
  TableReader reader(root, "the configuration", problems);
  if (const auto* table = reader.table("jar")) read_jar(*table, reading);
  if (const auto* table = reader.table("egress")) read_egress(*table, reading);
  if (const auto* table = reader.table("limits")) read_limits(*table, reading);
  if (const auto* table = reader.table("services")) read_services(*table, reading);
  if (const auto* table = reader.table("env")) read_environment(*table, reading);
  if (author == Author::project)
    reader.refuse_to_project("undo");
  else if (const auto* table = reader.table("undo"))
    read_undo(*table, reading);
  for (auto later : {"secret", "scan", "git"})
    author == Author::project ? reader.refuse_to_project(later) : reader.refuse_for_now(later);
  reader.finish();
  TRY(problems.check());
  return config;
}

Result<Config> load_config(const std::string& path, const std::string& shown_path,
                           const WrittenByJars& written) {
  auto text = read_placed(path, shown_path, kMaxDocument, written);
  if (text) return parse_config(*text, shown_path);
  auto code = text.error().code();
  if (code == ErrorCode::not_found) return Config{};
  if (code == ErrorCode::permission_denied && text.error().system_errno() == 0)
    return std::move(text).error();
  return std::move(text).error().context("reading the configuration").with_hint("ls -l " + shown_path);
}

Config merge(Config base, const Config& over) {
  auto choose = [](auto& value, const auto& better) {
    if (better) value = better;
  };
  auto append = [](auto& values, const auto& more) { values.insert(values.end(), more.begin(), more.end()); };
  choose(base.agent, over.agent);
  choose(base.backend, over.backend);
  choose(base.workspace, over.workspace);
  choose(base.root, over.root);
  choose(base.image, over.image);
  choose(base.limits.memory, over.limits.memory);
  choose(base.limits.cpus, over.limits.cpus);
  choose(base.limits.processes, over.limits.processes);
  choose(base.limits.wall, over.limits.wall);
  choose(base.limits.disk, over.limits.disk);
  choose(base.undo.keep, over.undo.keep);
  choose(base.undo.size, over.undo.size);
  choose(base.undo.ignored, over.undo.ignored);
  append(base.rules, over.rules);
  append(base.registries, over.registries);
  append(base.services, over.services);
  append(base.passed_variables, over.passed_variables);
  base.allow_unguarded |= over.allow_unguarded;
  for (const auto& [name, origin] : over.origins)
    base.origins[name] = origin;
  for (const auto& [name, value] : over.variables)
    base.variables[name] = value;
  return base;
}

}  // namespace belljar::config
