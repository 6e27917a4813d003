#include "ledger/server.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include <fcntl.h>

#include "base/log.h"
#include "io/fd_stream.h"
#include "ledger/group_commit.h"
#include "ledger/protocol.h"
#include "ledger/store.h"
#include "os/confine.h"
#include "rt/loop.h"
#include "rt/nursery.h"

namespace belljar::ledger {

namespace {

/// Appends of one appender that may wait for their acknowledgement, or acknowledgements for its reading, at a
/// time; then no more is read from it.
constexpr std::size_t kMaxUnanswered = 128;
constexpr std::size_t kMaxAppenders = 64;
/// What is read of one appender after the end of the control socket: more than a socket buffer holds.
constexpr std::size_t kMaxDrained = 4096;

/// One appender's socket: reads appends, sends acknowledgements.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Appender name, io::MessageSocket socket, GroupCommit& group)
      : name_(std::move(name)), socket_(std::move(socket)), group_(group) {}

  /// Until the appender closes its end or breaks the protocol.
  Result<void> run() {
    rt::Nursery nursery;
    nursery.start([self = shared_from_this()] { return self->send_answers(); });
    auto ended = read_appends();
    closed_ = ended.ok() || ended.error().code() != ErrorCode::cancelled;
    return ended;
  }

  /// Takes what is in the socket already; for the end, when no fiber of this session runs any more.
  void drain() {
    for (std::size_t count = 0; count < kMaxDrained && !closed_; ++count) {
      auto message = socket_.receive(rt::Deadline::at(rt::now()));
      if (!message || !message->has_value() || !(*message)->fds.empty()) return;
      auto append = decode_append((*message)->bytes);
      if (!append) return;
      take(std::move(append).value());
    }
  }

  /// Sends the answers that are there, as far as the appender takes them.
  void send_last_answers() {
    for (const auto& last : answers_)
      if (closed_ || !socket_.send(encode(last), {}, rt::Deadline::at(rt::now()))) return;
  }

 private:
  Result<void> read_appends() {
    while (true) {
      TRY(rt::checkpoint());
      while (unanswered_ >= kMaxUnanswered)
        TRY(answered_.wait(rt::Deadline::never()));
      auto message = TRY(socket_.receive(rt::Deadline::never()));
      if (!message) return {};
      if (!message->fds.empty()) return Error(ErrorCode::malformed, "an append with descriptors");
      take(TRY(decode_append(message->bytes)));
      if (group_.is_full()) TRY(rt::yield());
    }
  }

  void take(Append append) {
    Entry entry{
        .time = wall_clock(), .jar = name_.jar, .source = name_.source, .event = std::move(append.event)};
    if (append.durability != Durability::none) ++unanswered_;
    if (group_.failure()) {
      if (append.durability != Durability::none) answer(append.id, *group_.failure());
      return;
    }
    if (append.durability == Durability::durable) {
      group_.add_durable(std::move(entry), [self = shared_from_this(), id = append.id](
                                               const std::string& refusal) { self->answer(id, refusal); });
      return;
    }
    group_.add(std::move(entry));
    if (append.durability == Durability::accepted) answer(append.id, {});
  }

  void answer(std::uint64_t id, std::string refusal) {
    answers_.push_back({.id = id, .refusal = std::move(refusal)});
    changed_.wake_all();
  }

  /// A sender of its own, so that an appender that doesn't read keeps only itself waiting.
  Result<void> send_answers() {
    while (true) {
      while (answers_.empty())
        TRY(changed_.wait(rt::Deadline::never()));
      auto bytes = encode(answers_.front());
      answers_.pop_front();
      auto sent = closed_ ? Result<void>() : socket_.send(bytes, {}, rt::Deadline::never());
      --unanswered_;
      answered_.wake_all();
      if (!sent) closed_ = true;  // nobody is left to be told; what was taken is written all the same
    }
  }

  Appender name_;
  io::MessageSocket socket_;
  GroupCommit& group_;
  std::deque<Acknowledgement> answers_;
  std::size_t unanswered_ = 0;
  bool closed_ = false;
  rt::WaitList changed_;
  rt::WaitList answered_;
};

Result<os::Fd> open_directory(const std::string& path) {
  TRY(os::create_directories(path));
  return os::open_file(path, O_PATH | O_DIRECTORY);
}

class Server {
 public:
  explicit Server(io::MessageSocket control) : control_(std::move(control)) {}

  Result<void> run() {
    auto first = TRY(control_.receive(rt::Deadline::never()));
    if (!first) return {};
    auto control = TRY(decode_control(first->bytes));
    if (!std::holds_alternative<Setup>(control))
      return Error(ErrorCode::malformed, "the first message is no setup");
    auto place = std::get<Setup>(control).directory;
    auto directory = open_directory(place);
    GroupCommit group([&]() -> Result<Store> {
      if (!directory) return Error(directory.error().code(), directory.error().to_string());
      return Store::open(place);
    });
    // Opened before anything is read from an appender; a failure is told to each of them.
    auto opened = group.flush();
    if (!opened) log::warning("{}", opened.error().to_string());
    os::Confinement confinement;
    if (directory) confinement.paths.push_back({.fd = directory->get(), .writable = true});
    TRY(os::confine(confinement).context("confining the ledger"));

    rt::Nursery writing;
    writing.start([&group]() -> Result<void> {
      (void)group.run();  // ends only by being cancelled
      return {};
    });
    auto served = serve_appenders(group);
    writing.cancel();
    (void)writing.join();
    for (const auto& session : sessions_)
      session->drain();
    auto flushed = group.flush();
    for (const auto& session : sessions_)
      session->send_last_answers();
    TRY(std::move(served));
    return flushed;
  }

 private:
  Result<void> serve_appenders(GroupCommit& group) {
    rt::Nursery reading;
    while (true) {
      auto message = TRY(control_.receive(rt::Deadline::never()));
      if (!message) return {};
      auto control = TRY(decode_control(message->bytes));
      if (!std::holds_alternative<Appender>(control) || message->fds.size() != 1)
        return Error(ErrorCode::malformed, "a message that is no appender");
      if (sessions_.size() >= kMaxAppenders)
        continue;  // its descriptor is closed: nothing it wants is recorded
      auto socket = TRY(io::MessageSocket::open(std::move(message->fds.front())));
      auto name = std::get<Appender>(std::move(control));
      sessions_.push_back(std::make_shared<Session>(name, std::move(socket), group));
      reading.start([this, session = sessions_.back(), name]() -> Result<void> {
        auto ended = session->run();
        if (!ended && ended.error().code() == ErrorCode::cancelled) return {};
        if (!ended)
          log::warning("the appender {} of {}: {}", name.source, name.jar, ended.error().to_string());
        sessions_.erase(std::find(sessions_.begin(), sessions_.end(), session));
        return {};
      });
    }
  }

  io::MessageSocket control_;
  std::vector<std::shared_ptr<Session>> sessions_;
};

}  // namespace

Result<void> serve(os::Fd control) {
  rt::Loop loop;
  return loop.run(
      [&]() -> Result<void> { return Server(TRY(io::MessageSocket::open(std::move(control)))).run(); });
}

}  // namespace belljar::ledger
