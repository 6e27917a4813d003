#include <cstdio>

#include <fmt/core.h>

#include "cli/commands.h"

namespace belljar::cli {

namespace {

constexpr int kOwnFailure = 125;

int tell(const Error& error) {
  fmt::print(stderr, "belljar: {}\n", error.to_string());
  if (!error.hint().empty()) fmt::print(stderr, "         try: {}\n", error.hint());
  return kOwnFailure;
}

Result<int> run(const Command& command) {
  auto directories = TRY(keeper::find_directories());
  return std::visit([&](const auto& chosen) { return run_command(chosen, directories); }, command);
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
  auto parsed = parse_arguments(argc, argv);
  if (const auto* usage = std::get_if<Usage>(&parsed)) {
    fmt::print(usage->exit_code == 0 ? stdout : stderr, "{}", usage->text);
    return usage->exit_code;
  }
  auto code = run(std::get<Command>(parsed));
  return code ? *code : tell(code.error());
}

}  // namespace belljar::cli
