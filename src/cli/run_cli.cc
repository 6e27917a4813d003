#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/places.h"
#include "keeper/tell.h"

namespace belljar::cli {

namespace {

constexpr int kOwnFailure = 125;

/// A command started with a standard stream closed (`>&-`) would give that number to the next file it opens,
/// and what is meant for the stream would be written there: into a lock, or into the ledger's socket.
bool hold_standard_streams() {
  for (int stream = 0; stream < 3; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != stream) return false;
  return true;
}

/// Where an error is about one of belljar's own directories, these are looked at: "Not a directory" says
/// neither which of them is none nor what mends it.
int fail(const Error& error) {
  auto text = error.to_string();
  auto hint = error.hint();
  keeper::tell_lines(text);
  if (auto directories = keeper::find_directories())
    if (auto fault = find_place_fault(*directories, text)) {
      keeper::tell_more(fault->what);
      hint = fault->mend;
    }
  if (!hint.empty()) keeper::tell_more("try: " + hint);
  return kOwnFailure;
}

Result<int> run(const Command& command) {
  auto directories = TRY(keeper::find_directories());
  return std::visit([&](const auto& chosen) { return run_command(chosen, directories); }, command);
}

/// The one place where the exceptions of fmt are caught, which it throws when a text can't be printed.
Result<int> run_and_print(const Command& command) {
  try {
    auto code = run(command);
    if (code && std::fflush(stdout) != 0) return Error::from_errno(errno, "write to the standard output");
    return code;
  } catch (const std::system_error& error) {
    return Error::from_errno(error.code().value(), "write to the standard output");
  }
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
  if (!hold_standard_streams()) return kOwnFailure;
  auto parsed = parse_arguments(argc, argv);
  if (const auto* usage = std::get_if<Usage>(&parsed)) {
    fmt::print(usage->exit_code == 0 ? stdout : stderr, "{}", usage->text);
    return usage->exit_code;
  }
  auto code = run_and_print(std::get<Command>(parsed));
  return code ? *code : fail(code.error());
}

}  // namespace belljar::cli
