#include "config/rules.h"

#include <algorithm>

#include <fmt/core.h>

#include "policy/path.h"

namespace belljar::config {

namespace {

bool is_method(std::string_view text) {
  return !text.empty() && text.size() <= 32 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

void read_methods(TableReader& reader, policy::Rule& rule) {
  auto values = reader.values("methods");
  if (values.empty()) return;
  rule.methods.clear();
  for (const auto* value : values) {
    if (value->kind != Node::Kind::text)
      reader.complain_type(*value, "methods", "a list of texts");
    else if (value->text != "*" && !is_method(value->text))
      reader.complain(*value,
                      fmt::format("\"{}\" is not a method: they are upper case, as in \"POST\"; \"*\" is any",
                                  value->text));
    else if (value->text == "*" && values.size() > 1)
      reader.complain(*value, "\"*\" is any method and stands alone");
    else
      rule.methods.push_back(value->text);
  }
}

void read_paths(TableReader& reader, policy::Rule& rule) {
  for (const auto* value : reader.values("paths")) {
    if (value->kind != Node::Kind::text) {
      reader.complain_type(*value, "paths", "a list of texts");
      continue;
    }
    auto glob = policy::PathGlob::parse(value->text);
    if (glob)
      rule.paths.push_back(glob->text());
    else
      reader.complain(*value, glob.error().message() + "; patterns look like /repos/acme/**");
  }
}

void read_ports(TableReader& reader, policy::Rule& rule) {
  for (const auto* value : reader.values("ports")) {
    if (value->kind != Node::Kind::integer)
      reader.complain_type(*value, "ports", "a list of whole numbers");
    else if (value->integer < 1 || value->integer > 65535)
      reader.complain(*value, "a port is a number from 1 to 65535");
    else
      rule.ports.push_back(static_cast<std::uint16_t>(value->integer));
  }
}

void read_schemes(TableReader& reader, policy::Rule& rule) {
  auto values = reader.values("schemes");
  if (values.empty()) return;
  rule.schemes.clear();
  for (const auto* value : values) {
    if (value->kind == Node::Kind::text && value->text == "https")
      rule.schemes.push_back(policy::Scheme::https);
    else if (value->kind == Node::Kind::text && value->text == "http")
      rule.schemes.push_back(policy::Scheme::http);
    else
      reader.complain(*value, "a scheme is \"https\" or \"http\"");
  }
}

void read_hosts(TableReader& reader, const policy::Rule& rule, Config& config) {
  for (const auto* value : reader.values("host")) {
    if (value->kind != Node::Kind::text) {
      reader.complain_type(*value, "host", "a text");
      continue;
    }
    auto pattern = policy::HostPattern::parse(value->text);
    if (!pattern) {
      auto hint = pattern.error().hint();
      reader.complain(*value, pattern.error().message() + (hint.empty() ? "" : "; " + hint));
      continue;
    }
    if (rule.verdict != policy::Verdict::deny && pattern->matches(policy::kServiceHost)) {
      reader.complain(*value, fmt::format("{} has services, not rules: name them under [services]",
                                          policy::kServiceHost));
      continue;
    }
    config.rules.push_back(rule);
    config.rules.back().host = *pattern;
  }
}

void read_registries(TableReader& reader, const policy::Rule& rule, Config& config) {
  static const std::vector<std::string> kKnown = {"npm", "pypi", "apt"};
  RegistryRule registries{.registries = {}, .rule = rule};
  for (const auto* value : reader.values("registry")) {
    if (value->kind != Node::Kind::text) {
      reader.complain_type(*value, "registry", "a list of texts");
    } else if (std::find(kKnown.begin(), kKnown.end(), value->text) == kKnown.end()) {
      auto message = fmt::format("unknown registry \"{}\" (known: npm, pypi, apt)", value->text);
      if (auto meant = nearest(value->text, kKnown)) message += fmt::format("; did you mean \"{}\"?", *meant);
      reader.complain(*value, message);
    } else {
      registries.registries.push_back(value->text);
    }
  }
  if (!registries.registries.empty()) config.registries.push_back(std::move(registries));
}

}  // namespace

void read_rule(const Node& table, policy::Verdict verdict, Problems& problems, Config& config) {
  auto name = fmt::format("[[egress.{}]]", name_of(verdict));
  TableReader reader(table, name, problems);
  policy::Rule rule{.verdict = verdict};
  if (verdict == policy::Verdict::deny) {
    rule.methods = {"*"};
    rule.schemes = {policy::Scheme::http, policy::Scheme::https};
  }
  rule.origin = problems.place(table.begin);
  read_methods(reader, rule);
  read_paths(reader, rule);
  read_ports(reader, rule);
  read_schemes(reader, rule);
  rule.reason = reader.text("reason").value_or("");
  std::replace_if(
      rule.reason.begin(), rule.reason.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  reader.refuse_for_now("stream");

  bool has_host = table.find("host") != nullptr;
  bool has_registry = table.find("registry") != nullptr;
  read_hosts(reader, rule, config);
  read_registries(reader, rule, config);
  reader.finish();
  if (has_host == has_registry)
    problems.add(table.begin, fmt::format("{} needs either \"host\" or \"registry\"", name));
}

}  // namespace belljar::config
