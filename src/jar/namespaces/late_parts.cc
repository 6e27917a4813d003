#include "jar/namespaces/late_parts.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "jar/namespaces/writable_plan.h"
#include "os/passing.h"
#include "wire/codec.h"

namespace belljar::jar {

namespace {

/// The guard of a workspace may show hundreds of configurations of up to a mebibyte each.
constexpr std::size_t kMaxParts = 1U << 30;

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

void add_guard(wire::Encoder& encoder, const GuardPlan& guard) {
  encoder.text(guard.workspace);
  for (const auto* list : {&guard.pinned, &guard.read_only, &guard.masked})
    add_list(encoder, *list);
  encoder.count(guard.copies.size());
  for (const auto& copy : guard.copies)
    encoder.text(copy.path).text(copy.content);
}

Result<GuardPlan> read_guard(wire::Decoder& decoder) {
  GuardPlan guard;
  guard.workspace = TRY(decoder.text());
  for (auto* list : {&guard.pinned, &guard.read_only, &guard.masked})
    *list = TRY(read_list(decoder));
  guard.copies.resize(TRY(decoder.count()));
  for (auto& copy : guard.copies) {
    copy.path = TRY(decoder.text());
    copy.content = TRY(decoder.text());
  }
  return guard;
}

void add_files(wire::Encoder& encoder, const std::vector<PrivateFile>& files) {
  encoder.count(files.size());
  for (const auto& file : files)
    encoder.text(file.path).text(file.content).u32(file.mode);
}

Result<std::vector<PrivateFile>> read_files(wire::Decoder& decoder) {
  std::vector<PrivateFile> files(TRY(decoder.count()));
  for (auto& file : files) {
    file.path = TRY(decoder.text());
    file.content = TRY(decoder.text());
    file.mode = TRY(decoder.u32());
  }
  return files;
}

/// In a file of its own, as lists may be longer than a message.
Result<os::Fd> encode(const LateParts& parts) {
  wire::Encoder encoder;
  encoder.text(parts.etc).text(parts.authority);
  add_list(encoder, parts.trusting);
  add_list(encoder, parts.hidden);
  add_files(encoder, parts.files);
  add_guard(encoder, parts.guard);
  encoder.text(parts.git_directory);
  add_guard(encoder, parts.git_guard);
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
  parts.files = TRY(read_files(decoder));
  parts.guard = TRY(read_guard(decoder));
  parts.git_directory = TRY(decoder.text());
  parts.git_guard = TRY(read_guard(decoder));
  TRY(decoder.finish());
  return parts;
}

/// Adds those of further messages until there are `count`.
Result<void> receive_files(int socket, std::size_t count, std::vector<os::Fd>& files) {
  while (files.size() < count) {
    auto message = TRY(os::receive_message(socket));
    if (!message) return Error(ErrorCode::closed, "belljar ended while the jar was starting");
    for (auto& file : message->fds)
      files.push_back(std::move(file));
  }
  return {};
}

/// What both sides do, so that they know the same sources.
void add_git_directory(SetupPlan& plan, const std::string& path) {
  if (!path.empty()) plan.root.workspace.push_back({path, path, Access::as_owner, {}});
}

bool is_end_of_child(const Result<void>& sent) {
  return !sent && (sent.error().system_errno() == EPIPE || sent.error().system_errno() == ECONNRESET);
}

}  // namespace

Result<void> send_late_parts(int socket, const LateParts& parts, SetupPlan& plan, int jar_users) {
  auto encoded = TRY(encode(parts));
  std::vector<int> files = {encoded.get()};
  add_git_directory(plan, parts.git_directory);
  if (plan.identity.privileged) {
    plan.root.etc = {parts.etc, "/etc", Access::read_only, {}};
    for (auto* source : sources_of_root(plan)) {
      TRY(open_source(*source, plan.identity, jar_users));
      files.push_back(source->mount.get());
    }
  }
  for (std::size_t at = 0; at < files.size(); at += os::kMaxPassedFds) {
    auto some = std::span(files).subspan(at, std::min(os::kMaxPassedFds, files.size() - at));
    auto sent = os::send_message(socket, as_bytes("parts"), some);
    if (is_end_of_child(sent)) return Error(ErrorCode::closed, "the jar's first process has ended");
    TRY(std::move(sent));
  }
  return {};
}

Result<void> receive_late_parts(int socket, SetupPlan& plan) {
  std::vector<os::Fd> files;
  TRY(receive_files(socket, 1, files));
  auto parts = TRY(decode(files.front().get()));
  add_git_directory(plan, parts.git_directory);
  auto sources = sources_of_root(plan);
  TRY(receive_files(socket, 1 + (plan.identity.privileged ? sources.size() : 0), files));
  plan.root.etc = {parts.etc, "/etc", Access::read_only, {}};
  plan.root.hidden = std::move(parts.hidden);
  for (std::size_t n = 1; n < files.size(); ++n)
    sources[n - 1]->mount = std::move(files[n]);
  plan.trusting = std::move(parts.trusting);
  plan.authority = std::move(parts.authority);
  plan.root.files = std::move(parts.files);
  if (plan.root.writable) take_seeds(plan.root);
  plan.guard = std::move(parts.guard);
  plan.git_guard = std::move(parts.git_guard);
  return {};
}

}  // namespace belljar::jar
