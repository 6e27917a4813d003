#include "cli/environment.h"

#include <cstdlib>
#include <string_view>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace belljar::cli {

namespace {

constexpr const char* kBundle = "/etc/ssl/certs/ca-certificates.crt";

/// Passed from the host as they are: they say how to paint and speak, not who the user is.
constexpr const char* kPassed[] = {"TERM",        "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
                                   "LANG",        "LANGUAGE",  "TZ",           "NO_COLOR",
                                   "FORCE_COLOR", "CLICOLOR",  "COLUMNS",      "LINES"};

/// Tools that trust a file named by a variable rather than the system's bundle.
constexpr const char* kBundleVariables[] = {"SSL_CERT_FILE",
                                            "NODE_EXTRA_CA_CERTS",
                                            "CODEX_CA_CERTIFICATE",
                                            "REQUESTS_CA_BUNDLE",
                                            "CURL_CA_BUNDLE",
                                            "GIT_SSL_CAINFO",
                                            "PIP_CERT",
                                            "AWS_CA_BUNDLE",
                                            "CARGO_HTTP_CAINFO",
                                            "DENO_CERT",
                                            "NIX_SSL_CERT_FILE",
                                            "HTTPLIB2_CA_CERTS",
                                            "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
                                            "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
                                            "npm_config_cafile"};

void pass(Environment& environment, const char* name) {
  if (const char* value = std::getenv(name)) environment[name] = value;
}

void pass_locale(Environment& environment) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    auto equals = text.find('=');
    if (text.starts_with("LC_") && equals != std::string_view::npos)
      environment[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  return true;
}

}  // namespace

Environment base_environment(const JarIdentity& identity) {
  Environment environment;
  for (const char* name : kPassed)
    pass(environment, name);
  pass_locale(environment);
  // A jar without any locale would be ASCII; C.UTF-8 is in every glibc.
  if (!environment.contains("LANG") && !environment.contains("LC_ALL")) environment["LANG"] = "C.UTF-8";
  for (const char* name : kBundleVariables)
    environment[name] = kBundle;
  environment["HOME"] = identity.home;
  environment["USER"] = environment["LOGNAME"] = identity.user_name;
  environment["SHELL"] = "/bin/bash";
  environment["PATH"] =
      identity.home + "/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  environment["BELLJAR"] = identity.jar;
  return environment;
}

Result<void> add_variable(Environment& environment, const std::string& assignment) {
  auto equals = assignment.find('=');
  auto name = assignment.substr(0, equals);
  if (!is_variable_name(name))
    return Error(ErrorCode::invalid_argument, "'" + name + "' is not the name of a variable")
        .with_hint("-e NAME=VALUE");
  if (equals != std::string::npos)
    environment[name] = assignment.substr(equals + 1);
  else
    pass(environment, name.c_str());
  return {};
}

std::vector<std::string> to_list(const Environment& environment) {
  std::vector<std::string> list;
  list.reserve(environment.size());
  for (const auto& [name, value] : environment)
    list.push_back(name + "=" + value);
  return list;
}

}  // namespace belljar::cli
