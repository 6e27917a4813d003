// A running jar, seen from outside: init's socket, its pidfd and what must be put back when it ends.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "jar/init_protocol.h"
#include "jar/jar_spec.h"
#include "jar/namespaces/limits.h"
#include "jar/root/generation.h"
#include "jar/workspace/guard.h"
#include "os/passing.h"

namespace belljar::jar {

/// What lives as long as the jar. Dropped from the last to the first: the processes end before what guards
/// them.
struct JarParts {
  StartReport report;
  timespec started{};
  os::Fd state_lock;
  os::Fd etc_lock;  ///< of the copy of /etc, or of the root generation
  /// The overlays of a writable system. The kernel writes a file system out when the last reference to one is
  /// gone, which nobody is to wait for: these are given back last, after the jar has ended and its locks are
  /// free. Where the jar starts again before that, there are two overlays of one upper layer for a moment, of
  /// which nobody uses the old one; the kernel notes it in its log.
  std::vector<os::Fd> layers;
  Placeholders placeholders;
  Placeholders git_placeholders;
  ControlGroups groups;
  os::Fd socket;
  os::Pid init;
  std::optional<std::pair<GenerationRequest, Generation>> to_tend;  ///< a generation that isn't saved yet
  os::Pid tending;                                                  ///< who saves it
};

class NamespaceJar : public RunningJar {
 public:
  explicit NamespaceJar(JarParts parts) : parts_(std::move(parts)) {}
  ~NamespaceJar() override;

  /// Waits for the door, or for the reason why there is none.
  Result<void> await_door();

  Door take_door() override { return std::move(door_); }
  [[nodiscard]] const StartReport& report() const override { return parts_.report; }
  [[nodiscard]] timespec started() const override { return parts_.started; }
  Result<Execution> exec(const ExecRequest& request) override;
  Result<std::uint32_t> begin_exec(const ExecRequest& request) override;
  Result<std::uint32_t> begin_connect(std::uint16_t port, std::uint32_t version) override;
  Result<void> signal(std::uint32_t execution, int number) override;
  Result<void> resize(std::uint32_t execution, TerminalSize size) override;
  [[nodiscard]] pid_t first_process() const override { return parts_.init.number(); }
  [[nodiscard]] std::string control_group() const override { return parts_.groups.unified(); }
  [[nodiscard]] std::uint64_t out_of_memory() const override { return parts_.groups.out_of_memory(); }
  [[nodiscard]] int events_fd() const override { return parts_.socket.get(); }
  Result<std::optional<Event>> next_event() override;
  Result<std::optional<Ended>> next_exit() override;
  void tend() override;
  Result<int> begin_stop() override;
  Result<void> stop() override;

 private:
  struct Reply {
    InitReply head{};
    std::string text;
    std::vector<os::Fd> fds;
  };
  /// What was begun and is not answered.
  struct Begun {
    std::string program;  ///< empty: a connection
    std::string working_directory;
    bool terminal = false;
    std::uint16_t port = 0;
  };
  /// The next reply within `milliseconds` (0: only what is there).
  Result<std::optional<Reply>> receive(int milliseconds);
  Result<void> send(const InitRequest& request, std::span<const int> fds = {});
  Result<Answered> await_answer(std::uint32_t id);
  Result<std::optional<Event>> understand(Reply reply);
  static Result<os::Fd> answer_of(const Begun& begun, Reply reply);
  static Error broken(const Reply& reply);

  JarParts parts_;
  Door door_;
  std::uint32_t next_id_ = 1;
  std::map<std::uint32_t, Begun> begun_;
  std::deque<Event> events_;
};

}  // namespace belljar::jar
