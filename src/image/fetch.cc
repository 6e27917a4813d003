#include "image/fetch.h"

#include <vector>

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include "image/watched.h"
#include "os/spawn.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace belljar::image {

namespace {

constexpr auto kLongest = std::chrono::minutes(30);

/// Without what a log line has around its message: time="…" level=fatal msg="…".
std::string message_of(const std::string& line) {
  constexpr std::string_view kMessage = "msg=\"";
  auto begin = line.find(kMessage);
  auto end = line.rfind('"');
  if (begin == std::string::npos || end <= begin + kMessage.size()) return line;
  std::string message;
  for (auto at = begin + kMessage.size(); at < end; ++at)
    if (line[at] != '\\') message += line[at];
  return message;
}

/// What it printed.
Result<std::string> run(const Skopeo& skopeo, std::vector<std::string> arguments, const RoomWatch& room,
                        const std::string& source) {
  auto output = TRY(os::create_pipe());
  auto errors = TRY(os::create_pipe());
  arguments.insert(arguments.begin(), "skopeo");
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  auto process = TRY(os::spawn({.program = skopeo.program,
                                .arguments = std::move(arguments),
                                .environment = std::move(environment),
                                .fds = {-1, output.second.get(), errors.second.get()}}));
  output.second.reset();
  errors.second.reset();
  Said printed, said;
  // An error here ends the process with its owner.
  TRY(watch({.ended = process.pidfd(),
             .output = output.first.get(),
             .errors = errors.first.get(),
             .room = &room,
             .doing = "fetching " + source,
             .tell = skopeo.tell,
             .deadline = std::chrono::steady_clock::now() + kLongest},
            printed, said));
  auto exit = TRY(process.wait());
  if (exit.shell_code() == 0) return printed.text();
  return Error(ErrorCode::not_found,
               fmt::format("skopeo can't fetch the image {}: {}", source, message_of(said.last_line())))
      .with_hint(fmt::format("skopeo inspect {}", source));
}

Result<std::string> as_digest(std::string text, const std::string& source) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  constexpr std::string_view kStart = "sha256:";
  bool valid = text.size() == kStart.size() + 64 && text.starts_with(kStart) &&
               text.find_first_not_of("0123456789abcdef", kStart.size()) == std::string::npos;
  if (valid) return text;
  return Error(ErrorCode::malformed, "skopeo names no sha256 digest for the image " + source);
}

}  // namespace

Result<std::string> resolve_digest(const Skopeo& skopeo, const std::string& source, const RoomWatch& room) {
  auto printed = TRY(run(skopeo, {"inspect", "--no-tags", "--format", "{{.Digest}}", source}, room, source));
  return as_digest(std::move(printed), source);
}

Result<std::string> copy_image(const Skopeo& skopeo, const std::string& source, const std::string& directory,
                               const std::string& layout, const RoomWatch& room) {
  auto digest = directory + "/digest";
  // Layers as they are: whoever fetches the same image gets the same digest.
  (void)TRY(run(skopeo,
                {"copy", "--quiet", "--dest-oci-accept-uncompressed-layers", "--digestfile", digest, source,
                 "oci:" + layout + ":image"},
                room, source));
  return as_digest(TRY(os::read_file(digest, 256)), source);
}

}  // namespace belljar::image
