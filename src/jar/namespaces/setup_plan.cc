#include "jar/namespaces/setup_plan.h"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "os/passing.h"
#include "wire/codec.h"

namespace belljar::jar {

namespace {

/// The guard of a workspace may show hundreds of configurations of up to a mebibyte each.
constexpr std::size_t kMaxPlan = 1U << 30;

/// In the order in which both sides know them.
std::vector<Source*> sources_of(SetupPlan& plan) {
  std::vector<Source*> sources = {&plan.init, &plan.root.home};
  if (plan.root.writable) {
    sources.insert(sources.end(), {&plan.root.writable->generation, &plan.root.writable->own});
    for (auto& directory : plan.root.writable->directories)
      if (directory.host) sources.push_back(&*directory.host);
  } else {
    sources.push_back(&plan.root.etc);
  }
  for (auto* group : {&plan.root.system, &plan.root.programs, &plan.root.workspace})
    for (auto& source : *group)
      sources.push_back(&source);
  return sources;
}

template <typename List, typename Put>
void put_list(wire::Encoder& out, const List& list, Put put) {
  out.count(list.size());
  for (const auto& item : list)
    put(out, item);
}

template <typename Item, typename Get>
Result<std::vector<Item>> get_list(wire::Decoder& in, Get get) {
  std::vector<Item> list;
  for (auto count = TRY(in.count()); count > 0; --count)
    list.push_back(TRY(get(in)));
  return list;
}

void put_text(wire::Encoder& out, const std::string& text) { out.text(text); }
Result<std::string> get_text(wire::Decoder& in) { return in.text(); }

void put_number(wire::Encoder& out, const std::optional<std::uint64_t>& number) {
  out.boolean(number.has_value()).u64(number.value_or(0));
}

Result<std::optional<std::uint64_t>> get_number(wire::Decoder& in) {
  bool given = TRY(in.boolean());
  auto number = TRY(in.u64());
  return given ? std::optional(number) : std::nullopt;
}

template <typename Enumeration>
Result<Enumeration> get_choice(wire::Decoder& in, Enumeration last) {
  auto value = TRY(in.u8());
  if (value > static_cast<std::uint8_t>(last)) return Error(ErrorCode::malformed, "no such choice");
  return static_cast<Enumeration>(value);
}

void put_source(wire::Encoder& out, const Source& source) {
  out.text(source.path).text(source.target).u8(static_cast<std::uint8_t>(source.access));
}

Result<Source> get_source(wire::Decoder& in) {
  Source source;
  source.path = TRY(in.text());
  source.target = TRY(in.text());
  source.access = TRY(get_choice(in, Access::as_owner));
  return source;
}

void put_link(wire::Encoder& out, const SystemLink& link) { out.text(link.path).text(link.target); }

Result<SystemLink> get_link(wire::Decoder& in) {
  SystemLink link;
  link.path = TRY(in.text());
  link.target = TRY(in.text());
  return link;
}

void put_file(wire::Encoder& out, const PrivateFile& file) {
  out.text(file.path).text(file.content).u32(file.mode);
}

Result<PrivateFile> get_file(wire::Decoder& in) {
  PrivateFile file;
  file.path = TRY(in.text());
  file.content = TRY(in.text());
  file.mode = TRY(in.u32());
  return file;
}

void put_directory(wire::Encoder& out, const LayeredDirectory& directory) {
  out.text(directory.name).text(directory.target).boolean(directory.host.has_value());
  if (directory.host) put_source(out, *directory.host);
}

Result<LayeredDirectory> get_directory(wire::Decoder& in) {
  LayeredDirectory directory;
  directory.name = TRY(in.text());
  directory.target = TRY(in.text());
  if (TRY(in.boolean())) directory.host = TRY(get_source(in));
  return directory;
}

void put_writable(wire::Encoder& out, const WritableRoot& root) {
  out.u8(static_cast<std::uint8_t>(root.tier)).boolean(root.saved).text(root.host_name);
  put_source(out, root.generation);
  put_source(out, root.own);
  put_list(out, root.directories, put_directory);
}

Result<WritableRoot> get_writable(wire::Decoder& in) {
  WritableRoot root;
  root.tier = TRY(get_choice(in, RootTier::metadata));
  root.saved = TRY(in.boolean());
  root.host_name = TRY(in.text());
  root.generation = TRY(get_source(in));
  root.own = TRY(get_source(in));
  root.directories = TRY(get_list<LayeredDirectory>(in, get_directory));
  return root;
}

void put_root(wire::Encoder& out, const RootPlan& root) {
  put_list(out, root.system, put_source);
  put_list(out, root.links, put_link);
  out.boolean(root.writable.has_value());
  if (root.writable) put_writable(out, *root.writable);
  put_source(out, root.etc);
  put_source(out, root.home);
  put_list(out, root.programs, put_source);
  put_list(out, root.workspace, put_source);
  put_list(out, root.files, put_file);
  put_list(out, root.hidden, put_text);
  out.u64(root.temporary_bytes);
}

Result<RootPlan> get_root(wire::Decoder& in) {
  RootPlan root;
  root.system = TRY(get_list<Source>(in, get_source));
  root.links = TRY(get_list<SystemLink>(in, get_link));
  if (TRY(in.boolean())) root.writable = TRY(get_writable(in));
  root.etc = TRY(get_source(in));
  root.home = TRY(get_source(in));
  root.programs = TRY(get_list<Source>(in, get_source));
  root.workspace = TRY(get_list<Source>(in, get_source));
  root.files = TRY(get_list<PrivateFile>(in, get_file));
  root.hidden = TRY(get_list<std::string>(in, get_text));
  root.temporary_bytes = TRY(in.u64());
  return root;
}

void put_copy(wire::Encoder& out, const GuardPlan::PrivateCopy& copy) {
  out.text(copy.path).text(copy.content);
}

Result<GuardPlan::PrivateCopy> get_copy(wire::Decoder& in) {
  GuardPlan::PrivateCopy copy;
  copy.path = TRY(in.text());
  copy.content = TRY(in.text());
  return copy;
}

void put_guard(wire::Encoder& out, const GuardPlan& guard) {
  out.text(guard.workspace);
  for (const auto* list : {&guard.pinned, &guard.read_only, &guard.masked})
    put_list(out, *list, put_text);
  put_list(out, guard.copies, put_copy);
}

Result<GuardPlan> get_guard(wire::Decoder& in) {
  GuardPlan guard;
  guard.workspace = TRY(in.text());
  for (auto* list : {&guard.pinned, &guard.read_only, &guard.masked})
    *list = TRY(get_list<std::string>(in, get_text));
  guard.copies = TRY(get_list<GuardPlan::PrivateCopy>(in, get_copy));
  return guard;
}

Bytes encode(const SetupPlan& plan) {
  wire::Encoder out;
  out.text(plan.host_name);
  put_number(out, plan.limits.memory);
  put_number(out, plan.limits.processes);
  put_source(out, plan.init);
  put_root(out, plan.root);
  put_guard(out, plan.guard);
  put_guard(out, plan.git_guard);
  put_list(out, plan.trusting, put_text);
  out.text(plan.authority);
  return out.take();
}

Result<SetupPlan> decode(BytesView bytes) {
  wire::Decoder in(bytes);
  SetupPlan plan;
  plan.host_name = TRY(in.text());
  plan.limits.memory = TRY(get_number(in));
  plan.limits.processes = TRY(get_number(in));
  plan.init = TRY(get_source(in));
  plan.root = TRY(get_root(in));
  plan.guard = TRY(get_guard(in));
  plan.git_guard = TRY(get_guard(in));
  plan.trusting = TRY(get_list<std::string>(in, get_text));
  plan.authority = TRY(in.text());
  TRY(in.finish());
  return plan;
}

/// Adds those of further messages until there are `count`.
Result<void> receive_files(int socket, std::size_t count, std::vector<os::Fd>& files) {
  while (files.size() < count) {
    auto message = TRY(os::receive_message(socket));
    if (!message || message->fds.empty())
      return Error(ErrorCode::closed, "belljar ended while the jar was starting");
    for (auto& file : message->fds)
      files.push_back(std::move(file));
  }
  return {};
}

bool is_end_of_child(const Result<void>& sent) {
  return !sent && (sent.error().system_errno() == EPIPE || sent.error().system_errno() == ECONNRESET);
}

}  // namespace

Result<void> open_sources(SetupPlan& plan, const Identity& identity, int jar_users) {
  for (auto* source : sources_of(plan))
    TRY(open_source(*source, identity, jar_users));
  return {};
}

Result<void> send_plan(int socket, SetupPlan& plan, const Identity& identity) {
  // In a file of its own, as lists may be longer than a message.
  auto encoded = TRY(os::create_sealed_file("belljar-plan", encode(plan)));
  std::vector<int> files = {encoded.get()};
  if (identity.privileged)
    for (const auto* source : sources_of(plan))
      files.push_back(source->mount.get());
  for (std::size_t at = 0; at < files.size(); at += os::kMaxPassedFds) {
    auto some = std::span(files).subspan(at, std::min(os::kMaxPassedFds, files.size() - at));
    auto sent = os::send_message(socket, as_bytes("plan"), some);
    if (is_end_of_child(sent)) return Error(ErrorCode::closed, "the jar's first process has ended");
    TRY(std::move(sent));
  }
  return {};
}

Result<SetupPlan> receive_plan(int socket, const Identity& identity) {
  std::vector<os::Fd> files;
  TRY(receive_files(socket, 1, files));
  if (::lseek(files.front().get(), 0, SEEK_SET) < 0) return Error::from_errno(errno, "read the jar's plan");
  auto text = TRY(os::read_all(files.front().get(), kMaxPlan));
  auto plan = TRY(decode(as_bytes(text)));
  if (!identity.privileged) return plan;
  auto sources = sources_of(plan);
  TRY(receive_files(socket, 1 + sources.size(), files));
  for (std::size_t n = 0; n < sources.size(); ++n)
    sources[n]->mount = std::move(files[n + 1]);
  return plan;
}

}  // namespace belljar::jar
