#include "jar/namespaces/running.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "jar/namespaces/host_limits.h"
#include "jar/root/tending.h"

namespace belljar::jar {

namespace {

constexpr int kStartTimeout = 30'000;  // ms; milliseconds in fact, more on a host that swaps
constexpr int kExecTimeout = 30'000;

BytesView bytes_of(const InitRequest& request) {
  return {reinterpret_cast<const std::uint8_t*>(&request), sizeof request};
}

/// Arguments, environment and directory as init reads them.
Result<os::Fd> write_program_text(const ExecRequest& request) {
  std::string text;
  auto append = [&](const std::string& one) { (text += one) += '\0'; };
  for (const auto& argument : request.arguments)
    append(argument);
  for (const auto& variable : request.environment)
    append(variable);
  append(request.working_directory.empty() ? "/" : request.working_directory);
  for (const auto* list : {&request.arguments, &request.environment})
    for (const auto& one : *list)
      if (one.find('\0') != std::string::npos)
        return Error(ErrorCode::invalid_argument, "an argument with a zero byte");
  if (text.size() > kMaxProgramText)
    return Error(ErrorCode::limit_exceeded, "arguments and environment too large");
  ProgramTextHead head{static_cast<std::uint32_t>(request.arguments.size()),
                       static_cast<std::uint32_t>(request.environment.size()),
                       static_cast<std::uint32_t>(text.size())};
  Bytes bytes(sizeof head);
  std::memcpy(bytes.data(), &head, sizeof head);
  bytes.insert(bytes.end(), text.begin(), text.end());
  return os::create_sealed_file("program", bytes);
}

/// A terminal's master from inside must be one, not something that a read or an ioctl of ours would act upon.
bool is_terminal_master(int fd) {
  constexpr unsigned kMajor = 5, kMinor = 2;  // /dev/ptmx
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && major(status.st_rdev) == kMajor &&
         minor(status.st_rdev) == kMinor;
}

/// A pipe, a socket pair or /dev/null: through a file the jar would have its mount and its open mode, through
/// a terminal the caller's session.
bool may_enter(int fd) {
  constexpr unsigned kMajor = 1, kMinor = 3;  // /dev/null
  struct stat status {};
  if (::fstat(fd, &status) < 0) return false;
  if (S_ISFIFO(status.st_mode)) return true;
  if (S_ISCHR(status.st_mode)) return major(status.st_rdev) == kMajor && minor(status.st_rdev) == kMinor;
  if (!S_ISSOCK(status.st_mode)) return false;
  int family = 0;
  socklen_t size = sizeof family;
  return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_UNIX;
}

/// A connection from inside must be one, and nothing with other rules for reading and writing.
bool is_tcp_socket(int fd) {
  auto option = [fd](int name) {
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
  };
  int family = option(SO_DOMAIN);
  return (family == AF_INET || family == AF_INET6) && option(SO_PROTOCOL) == IPPROTO_TCP;
}

/// Only where executing failed does the Error's code speak of the program.
Error refused(const std::string& program, const std::string& working_directory, InitStage stage,
              int failure) {
  if (stage == InitStage::execute) return Error::from_errno(failure, program);
  std::string what = "start a program in the jar";
  if (stage == InitStage::working_directory) what = "enter " + working_directory + " in the jar";
  if (stage == InitStage::terminal) what = "open a terminal in the jar";
  return Error(ErrorCode::system, Error::from_errno(failure, what).to_string());
}

}  // namespace

NamespaceJar::~NamespaceJar() { (void)stop(); }

Result<std::optional<NamespaceJar::Reply>> NamespaceJar::receive(int milliseconds) {
  pollfd event{parts_.socket.get(), POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&event, 1, milliseconds)) < 0 && errno == EINTR)
    continue;
  if (ready < 0) return Error::from_errno(errno, "wait for the jar");
  if (ready == 0) return std::optional<Reply>{};
  auto message = os::receive_message(parts_.socket.get());
  // Init has ended with requests unread. The kernel says so once, before what init had sent earlier.
  if (!message && message.error().system_errno() == ECONNRESET)
    message = os::receive_message(parts_.socket.get());
  if (!message && message.error().system_errno() != ECONNRESET) return std::move(message).error();
  if (!message || !message.value()) return Error(ErrorCode::closed, "the jar has ended");
  auto& bytes = message.value()->bytes;
  Reply reply;
  if (bytes.size() < sizeof reply.head)
    return Error(ErrorCode::malformed, "a reply of the jar's init that is too short");
  std::memcpy(&reply.head, bytes.data(), sizeof reply.head);
  reply.text.assign(bytes.begin() + sizeof reply.head, bytes.end());
  reply.fds = std::move(message.value()->fds);
  return std::optional<Reply>(std::move(reply));
}

Error NamespaceJar::broken(const Reply& reply) {
  // The child can't see the limit of namespaces that it ran into: it is in another one already.
  if (reply.text.rfind(kCreateNamespaces, 0) == 0) return explain_refusal(reply.head.failure);
  auto zero = reply.text.find('\0');
  auto why = reply.text.substr(0, zero);
  auto code = reply.head.code >= 0 && reply.head.code <= static_cast<int>(ErrorCode::internal)
                  ? static_cast<ErrorCode>(reply.head.code)
                  : ErrorCode::internal;
  Error error(code, why);
  if (zero != std::string::npos && zero + 1 < reply.text.size())
    return std::move(error).with_hint(reply.text.substr(zero + 1));
  return error;
}

Result<void> NamespaceJar::await_door() {
  auto reply = TRY(receive(kStartTimeout));
  if (!reply) return Error(ErrorCode::timed_out, "the jar did not get ready in time");
  if (reply->head.kind == InitReplyKind::broken) return broken(*reply);
  if (reply->head.kind != InitReplyKind::door || reply->fds.size() < 3)
    return Error(ErrorCode::internal, "the jar's first message isn't its door");
  door_.tcp = std::move(reply->fds[0]);
  door_.resolver_udp = std::move(reply->fds[1]);
  door_.resolver_tcp = std::move(reply->fds[2]);
  std::size_t next = 3;
  if (reply->head.code > 3 && reply->fds.size() > 3) door_.denied = std::move(reply->fds[next++]);
  for (; next < reply->fds.size(); ++next)
    parts_.layers.push_back(std::move(reply->fds[next]));
  // From now on the jar's programs run beside init, and can hold it up.
  if (::fcntl(parts_.socket.get(), F_SETFL, O_NONBLOCK) < 0)
    return Error::from_errno(errno, "make init's socket non-blocking");
  return {};
}

/// Has the root generation saved, where it isn't yet.
void NamespaceJar::tend() {
  if (!parts_.to_tend) return;
  auto& [request, generation] = *parts_.to_tend;
  auto tending = start_tending(request, generation);
  if (tending)
    parts_.tending = std::move(*tending);
  else
    log::warning("saving the root generation: {}", tending.error().to_string());
  parts_.to_tend.reset();
}

Result<void> NamespaceJar::send(const InitRequest& request, std::span<const int> fds) {
  if (!parts_.socket) return Error(ErrorCode::closed, "the jar has ended");
  auto sent = os::send_message(parts_.socket.get(), bytes_of(request), fds);
  if (!sent && (sent.error().system_errno() == EPIPE || sent.error().system_errno() == ECONNRESET))
    return Error(ErrorCode::closed, "the jar has ended");
  return sent;
}

Result<std::uint32_t> NamespaceJar::begin_exec(const ExecRequest& request) {
  if (request.arguments.empty() || request.arguments[0].empty())
    return Error(ErrorCode::invalid_argument, "no program to start");
  auto text = TRY(write_program_text(request));
  InitRequest message{};
  message.kind = InitRequestKind::exec;
  message.id = next_id_++;
  message.ends_jar = request.ends_jar ? 1 : 0;
  std::vector<int> fds = {text.get()};
  for (unsigned n = 0; n < 3; ++n) {
    if (request.standard[n] < 0) continue;
    if (!may_enter(request.standard[n]))
      return Error(ErrorCode::invalid_argument,
                   "only pipes and socket pairs may be given to a jar's program");
    message.standard |= 1U << n;
    fds.push_back(request.standard[n]);
  }
  if (request.terminal) {
    message.terminal = 1;
    message.rows = request.terminal->rows;
    message.columns = request.terminal->columns;
  }
  TRY(send(message, fds));
  begun_[message.id] = {.program = request.arguments[0],
                        .working_directory = request.working_directory,
                        .terminal = request.terminal.has_value()};
  return message.id;
}

Result<std::uint32_t> NamespaceJar::begin_connect(std::uint16_t port, std::uint32_t version) {
  InitRequest message{};
  message.kind = InitRequestKind::connect;
  message.id = next_id_++;
  message.number = port;
  message.version = version;
  TRY(send(message));
  begun_[message.id] = {.port = port};
  return message.id;
}

Result<Execution> NamespaceJar::exec(const ExecRequest& request) {
  auto id = TRY(begin_exec(request));
  auto answered = TRY(await_answer(id));
  return Execution{answered.id, TRY(std::move(answered.answer))};
}

/// The answer to this request; what else comes before it is kept for next_event().
Result<RunningJar::Answered> NamespaceJar::await_answer(std::uint32_t id) {
  while (true) {
    auto reply = TRY(receive(kExecTimeout));
    if (!reply) return Error(ErrorCode::timed_out, "the jar's init does not answer");
    auto event = TRY(understand(std::move(*reply)));
    if (!event) continue;
    auto* answered = std::get_if<Answered>(&*event);
    if (answered != nullptr && answered->id == id) return std::move(*answered);
    events_.push_back(std::move(*event));
  }
}

/// Nothing for what nobody waits for.
Result<std::optional<RunningJar::Event>> NamespaceJar::understand(Reply reply) {
  const auto& head = reply.head;
  // Not the program's failure, whatever its code: not_found would read as "no such program".
  if (head.kind == InitReplyKind::broken) return Error(ErrorCode::internal, broken(reply).to_string());
  if (head.kind == InitReplyKind::ended)
    return std::optional<Event>(Ended{head.id, {head.code, head.signal}});
  if (head.kind != InitReplyKind::started) return std::optional<Event>{};
  auto begun = begun_.extract(head.id);
  if (begun.empty()) return std::optional<Event>{};
  return std::optional<Event>(Answered{begun.key(), answer_of(begun.mapped(), std::move(reply))});
}

Result<os::Fd> NamespaceJar::answer_of(const Begun& begun, Reply reply) {
  const auto& head = reply.head;
  bool connection = begun.program.empty();
  if (head.failure != 0)
    return connection
               ? Error::from_errno(head.failure, fmt::format("connect to port {} in the jar", begun.port))
               : refused(begun.program, begun.working_directory, head.stage, head.failure);
  if (!connection && !begun.terminal) return os::Fd();
  if (reply.fds.size() != 1 ||
      !(connection ? is_tcp_socket(reply.fds[0].get()) : is_terminal_master(reply.fds[0].get())))
    return Error(ErrorCode::internal,
                 fmt::format("the jar's init gave no {}", connection ? "connection" : "terminal"));
  return std::move(reply.fds[0]);
}

Result<void> NamespaceJar::signal(std::uint32_t execution, int number) {
  InitRequest message{};
  message.kind = InitRequestKind::signal;
  message.id = execution;
  message.number = number;
  return send(message);
}

Result<void> NamespaceJar::resize(std::uint32_t execution, TerminalSize size) {
  InitRequest message{};
  message.kind = InitRequestKind::resize;
  message.id = execution;
  message.rows = size.rows;
  message.columns = size.columns;
  return send(message);
}

Result<std::optional<RunningJar::Event>> NamespaceJar::next_event() {
  while (events_.empty()) {
    if (!parts_.socket) return Error(ErrorCode::closed, "the jar has ended");
    auto reply = TRY(receive(0));
    if (!reply) return std::optional<Event>{};
    if (auto event = TRY(understand(std::move(*reply)))) events_.push_back(std::move(*event));
  }
  auto first = std::move(events_.front());
  events_.pop_front();
  return std::optional<Event>(std::move(first));
}

Result<std::optional<RunningJar::Ended>> NamespaceJar::next_exit() {
  while (auto event = TRY(next_event()))
    if (const auto* ended = std::get_if<Ended>(&*event)) return std::optional(*ended);
  return std::optional<Ended>{};
}

Result<int> NamespaceJar::begin_stop() {
  if (!parts_.init.valid()) return Error(ErrorCode::closed, "the jar has ended");
  // PID 1's end is the end of all in its process namespace; the kernel reports it only after theirs.
  (void)parts_.init.signal(SIGKILL);
  return parts_.init.pidfd();
}

Result<void> NamespaceJar::stop() {
  if (!begin_stop()) return {};
  auto ended = parts_.init.wait();
  parts_.tending = os::Pid();
  parts_.socket.reset();
  parts_.placeholders.remove();
  parts_.git_placeholders.remove();
  parts_.groups = ControlGroups();
  parts_.etc_lock.reset();
  // Unlocked, not only closed: a process just forked elsewhere may still have a copy.
  if (parts_.state_lock) ::flock(parts_.state_lock.get(), LOCK_UN);
  parts_.state_lock.reset();
  if (!ended) return std::move(ended).error().context("stopping the jar");
  return {};
}

}  // namespace belljar::jar
