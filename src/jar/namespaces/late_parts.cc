#include "jar/namespaces/late_parts.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "os/passing.h"
#include "wire/codec.h"

namespace belljar::jar {

namespace {

constexpr std::size_t kMaxParts = 8U << 20;

/// Those that only belljar's side can open, in the order in which both sides know them.
std::vector<Source*> sources_of_root(SetupPlan& plan) {
  std::vector<Source*> sources = {&plan.init};
  if (!plan.root.writable) sources.push_back(&plan.root.etc);
  for (auto* group : {&plan.root.programs, &plan.root.workspace})
    for (auto& source : *group)
      sources.push_back(&source);
  return sources;
}

void add_list(wire::Encoder& encoder, const std::vector<std::string>& list) {
  encoder.count(list.size());
  for (const auto& text : list)
    encoder.text(text);
}

Result<std::vector<std::string>> read_list(wire::Decoder& decoder) {
  std::vector<std::string> list(TRY(decoder.count()));
  for (auto& text : list)
    text = TRY(decoder.text());
  return list;
}

/// In a file of its own, as lists may be longer than a message.
Result<os::Fd> encode(const LateParts& parts) {
  wire::Encoder encoder;
  encoder.text(parts.etc).text(parts.authority);
  add_list(encoder, parts.trusting);
  add_list(encoder, parts.hidden);
  return os::create_sealed_file("belljar-parts", encoder.result());
}

Result<LateParts> decode(int file) {
  if (::lseek(file, 0, SEEK_SET) < 0) return Error::from_errno(errno, "read the jar's parts");
  auto text = TRY(os::read_all(file, kMaxParts));
  wire::Decoder decoder(as_bytes(text));
  LateParts parts;
  parts.etc = TRY(decoder.text());
  parts.authority = TRY(decoder.text());
  parts.trusting = TRY(read_list(decoder));
  parts.hidden = TRY(read_list(decoder));
  TRY(decoder.finish());
  return parts;
}

Result<std::vector<os::Fd>> receive_files(int socket, std::size_t count) {
  std::vector<os::Fd> files;
  while (files.size() < count) {
    auto message = TRY(os::receive_message(socket));
    if (!message) return Error(ErrorCode::closed, "belljar ended while the jar was starting");
    for (auto& file : message->fds)
      files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

Result<void> send_late_parts(int socket, const LateParts& parts, SetupPlan& plan, int jar_users) {
  auto encoded = TRY(encode(parts));
  std::vector<int> files = {encoded.get()};
  if (plan.identity.privileged) {
    plan.root.etc = {parts.etc, "/etc", Access::read_only, {}};
    for (auto* source : sources_of_root(plan)) {
      TRY(open_source(*source, plan.identity, jar_users));
      files.push_back(source->mount.get());
    }
  }
  for (std::size_t at = 0; at < files.size(); at += os::kMaxPassedFds) {
    auto some = std::span(files).subspan(at, std::min(os::kMaxPassedFds, files.size() - at));
    TRY(os::send_message(socket, as_bytes("parts"), some));
  }
  return {};
}

Result<void> receive_late_parts(int socket, SetupPlan& plan) {
  auto sources = sources_of_root(plan);
  auto files = TRY(receive_files(socket, 1 + (plan.identity.privileged ? sources.size() : 0)));
  auto parts = TRY(decode(files.front().get()));
  plan.root.etc = {parts.etc, "/etc", Access::read_only, {}};
  plan.root.hidden = std::move(parts.hidden);
  for (std::size_t n = 1; n < files.size(); ++n)
    sources[n - 1]->mount = std::move(files[n]);
  plan.trusting = std::move(parts.trusting);
  plan.authority = std::move(parts.authority);
  return {};
}

}  // namespace belljar::jar
