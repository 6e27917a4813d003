// JarSpec: all that a backend needs to know to start a jar. Backend and RunningJar: the seam between what a
// jar is and how it is isolated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <sys/types.h>
#include <time.h>

#include "base/result.h"
#include "os/fd.h"
#include "os/pid.h"

namespace belljar::jar {

/// A host path shown read-only in the jar at the same path (an agent's program found on the host), and
/// nothing around it. A file or a directory, without symlinks in its path.
struct ReadOnlyBind {
  std::string path;
};

/// How the system directories of a jar are made (jar/root/tier.h says what each needs of the kernel).
/// `image`: of an image instead of the host (jar/root/image_generation.h), which was made ready before.
enum class RootChoice : std::uint8_t { automatic, metadata, skeleton, read_only, image };

struct Limits {
  std::optional<std::uint64_t> memory;     ///< bytes
  std::optional<double> cpus;              ///< cores
  std::optional<std::uint64_t> processes;  ///< of the whole jar
  // These two are the keeper's to hold.
  std::optional<std::uint64_t> wall;  ///< seconds from the start to the end
  std::optional<std::uint64_t> disk;  ///< bytes that the jar may add
};

/// Paths are absolute and without symlinks.
struct JarSpec {
  std::string name;
  std::string state_directory;  ///< this jar's own, outside: home/, tmp/ … are made in it
  std::string cache_directory;  ///< shared by the jars of this user: the copy of /etc
  std::string workspace;        ///< shown at this very path, writable; empty: none
  std::string home;             ///< the jar's $HOME as seen inside; backed by state_directory/home
  std::string user_name;        ///< shown for uid 0 inside
  /// Answers the PEM of an authority that is trusted inside through the system's bundle; none when empty.
  /// Asked late in a start, so that it can be made meanwhile.
  std::function<Result<std::string>()> ca_certificate;
  /// Called before the workspace is looked at and before anything is made in it, while the rest of a start
  /// goes on; `started` is as RunningJar::started(). Its error ends the start. May be empty.
  std::function<Result<void>(timespec started)> before_workspace;
  std::string ca_subject_hash;  ///< OpenSSL's subject hash of it, 8 hexadecimal digits; empty: no hash entry
  std::vector<ReadOnlyBind> programs;
  std::vector<std::string>
      hidden;  ///< belljar's own directories: a workspace that is or contains one is refused
  Limits limits;
  RootChoice root = RootChoice::automatic;
  std::string roots_directory;  ///< the user's root generations; empty: the system directories are read-only
  std::function<void(const std::string&)> tell;  ///< one line about what takes longer; may be empty
  bool allow_unguarded = false;  ///< start, with a warning, where the workspace can't be guarded as a whole
};

/// One limit and what really holds it, for doctor and for the user who asked for it.
struct LimitState {
  std::string name;       ///< "memory", "cpus", "processes", "wall", "disk"
  std::string asked;      ///< as it was asked for; empty: belljar's own default
  bool enforced = false;  ///< for the jar as a whole
  std::string how;        ///< what enforces it, or why nothing does
  bool operator==(const LimitState&) const = default;
};

/// What a start found out that the user may want to know.
struct StartReport {
  std::vector<LimitState> limits;
  std::string root;                            ///< what the system directories are, one line
  std::vector<std::string> root_shortcomings;  ///< what can't be done in them, one line each
  std::vector<std::string> warnings;  ///< one line each: what is weaker on this host than it could be
  /// One line each: what of this workspace is not guarded, and why. May hold paths that a jar chose; a few
  /// lines, however many places there are.
  std::vector<std::string> unguarded;
  std::vector<std::string>
      guarded;  ///< git directories of the workspace that were there and are guarded, for find_traps()
  std::string
      git_directory;  ///< of a linked worktree or submodule: shown, too, and to be looked through; or empty
};

/// The sockets that listen inside the jar's network namespace.
struct Door {
  os::Fd tcp;           ///< listening; every TCP connection of the jar arrives here (SO_ORIGINAL_DST)
  os::Fd resolver_udp;  ///< bound to 127.0.0.1:53 inside
  os::Fd resolver_tcp;  ///< listening
  /// Tells of packets that were refused at once (UDP, IPv6), rate-limited by the kernel; read with
  /// read_denied() of jar/denied.h. Non-blocking. Invalid where the kernel can't tell.
  os::Fd denied;
};

struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;
  bool operator==(const TerminalSize&) const = default;
};

struct ExecRequest {
  std::vector<std::string> arguments;    ///< argv; argv[0] is searched in the PATH of `environment`
  std::vector<std::string> environment;  ///< the whole of it, "NAME=value"
  std::string working_directory;
  /// For 0, 1, 2: a borrowed descriptor (a pipe or a socket pair of AF_UNIX; a file or terminal is
  /// invalid_argument), or -1: the jar's terminal when there is one, else /dev/null.
  int standard[3] = {-1, -1, -1};
  std::optional<TerminalSize> terminal;  ///< open a terminal in the jar; its master comes back in Execution
  bool ends_jar = false;                 ///< the jar ends with this program, without being told to
};

/// A program running in the jar.
struct Execution {
  std::uint32_t id = 0;
  os::Fd terminal;  ///< master side, when one was asked for
};

/// A named thing that the jar left for the host to trip over (I7), found when it stopped
/// (jar/workspace/traps.h).
struct Trap {
  std::string path;  ///< relative to the workspace
  std::string why;   ///< one line: what would run it
};

class RunningJar {
 public:
  virtual ~RunningJar() = default;  ///< kills everything in the jar
  virtual Door take_door() = 0;
  [[nodiscard]] virtual const StartReport& report() const = 0;
  /// When the jar started; traps are what changed in the workspace since then.
  [[nodiscard]] virtual timespec started() const = 0;
  /// Starts a program and waits for it: for callers without a loop. Errors as of Answered.
  virtual Result<Execution> exec(const ExecRequest& request) = 0;

  // What follows waits for nothing: init lives among the jar's programs, which can hold it up. Where it has
  // left too much unread, the error's errno is EAGAIN; writable events_fd() says when to try again.

  /// Asks for a program; an id, for what next_event() will say of it.
  virtual Result<std::uint32_t> begin_exec(const ExecRequest& request) = 0;
  /// Asks for a connection to a TCP port of the jar's loopback, IPv4 or (`version` 6) IPv6.
  virtual Result<std::uint32_t> begin_connect(std::uint16_t port, std::uint32_t version) = 0;
  virtual Result<void> signal(std::uint32_t execution, int number) = 0;
  virtual Result<void> resize(std::uint32_t execution, TerminalSize size) = 0;
  /// Answers what was begun: with the master side of a terminal that was asked for, or with the connection.
  /// Errors: not_found and permission_denied name a program that can't be executed; for a connection the
  /// errno is that of connect(2), ECONNREFUSED where nothing listens.
  struct Answered {
    std::uint32_t id = 0;
    Result<os::Fd> answer;
  };
  /// The number on the host of the process that all others of the jar come from.
  [[nodiscard]] virtual pid_t first_process() const = 0;
  /// The control group of version 2 that holds all of the jar, its first process included; empty: none.
  [[nodiscard]] virtual std::string control_group() const = 0;
  /// Processes that the kernel has ended for the jar's limit of memory, as far as a control group counts.
  [[nodiscard]] virtual std::uint64_t out_of_memory() const = 0;
  /// Readable when next_event() has something to say or the jar is gone. Valid until stop().
  [[nodiscard]] virtual int events_fd() const = 0;
  struct Ended {
    std::uint32_t execution = 0;
    os::Exit exit;
  };
  using Event = std::variant<Answered, Ended>;
  /// What has come; nothing when there is nothing yet; `closed` when the jar is gone.
  virtual Result<std::optional<Event>> next_event() = 0;
  /// The same for who begins nothing: the next program that ended.
  virtual Result<std::optional<Ended>> next_exit() = 0;
  /// Begins what is the better for not being done at once, behind the running jar (its root generation is
  /// made independent of the host).
  virtual void tend() = 0;
  /// Has every process in the jar killed; the answer becomes readable when they have ended, and is valid
  /// until stop().
  virtual Result<int> begin_stop() = 0;
  /// Ends every process in the jar and waits for that.
  virtual Result<void> stop() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Result<std::unique_ptr<RunningJar>> start(const JarSpec& spec) = 0;
};

}  // namespace belljar::jar
