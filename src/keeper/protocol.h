// What a command of the CLI and the keeper of a jar say to each other, over SOCK_SEQPACKET: the inherited
// socket of the command that started the jar, or a connection to the jar's keeper.sock. One message a packet,
// version and kind first; what belongs to it comes as descriptors of the same packet.
//
// A connection begins with one request that says what it is for; only those marked "goes on" may follow it.
// Both ends check what they read: a keeper may be of an older build than the command that talks to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "jar/jar_spec.h"

namespace belljar::keeper {

inline constexpr std::uint8_t kProtocolVersion = 2;
/// Input and output are cut into pieces of this size.
inline constexpr std::size_t kMaxPiece = 16U << 10;

/// Which of 0, 1, 2 of a program are given as descriptors (bit n), and the size of the terminal that the rest
/// is, if any.
struct Streams {
  std::uint8_t given = 0;
  std::optional<jar::TerminalSize> terminal;
  bool operator==(const Streams&) const = default;
};

namespace request {
/// Starts the jar; only on the socket that the keeper inherits. Descriptors: a sealed file with the Plan, the
/// jar's lock file, then the given streams.
struct StartJar {
  Streams streams;
  bool operator==(const StartJar&) const = default;
};
/// Goes on, once, from who starts the jar: the workspace is saved. Before that the keeper makes what it can
/// of the jar, but nothing in the workspace, and runs nothing.
struct Proceed {
  bool operator==(const Proceed&) const = default;
};
/// Shows the terminal of the jar's program.
struct Attach {
  jar::TerminalSize size;
  bool read_only = false;
  bool take_over = false;  ///< all others are detached
  bool operator==(const Attach&) const = default;
};
/// Runs a further program. Descriptors: a sealed file with its ProgramWords, then the given streams.
struct Exec {
  Streams streams;
  bool operator==(const Exec&) const = default;
};
/// Goes on: what was typed.
struct Input {
  Bytes bytes;
  bool operator==(const Input&) const = default;
};
/// Goes on.
struct Resize {
  jar::TerminalSize size;
  bool operator==(const Resize&) const = default;
};
/// Goes on: a signal that the command got.
struct Signal {
  std::int32_t number = 0;
  bool operator==(const Signal&) const = default;
};
struct Status {
  bool operator==(const Status&) const = default;
};
/// Ends the jar: its program is asked to end, and killed when it has not after the grace period.
struct Stop {
  std::uint32_t grace = 10;  ///< seconds
  bool operator==(const Stop&) const = default;
};
struct Pause {
  bool operator==(const Pause&) const = default;
};
struct Resume {
  bool operator==(const Resume&) const = default;
};
/// What the program's terminal has shown, as text; then, when following, what it shows further.
struct Logs {
  bool follow = false;
  bool operator==(const Logs&) const = default;
};
/// Goes on: a connection to a port of the jar's loopback.
struct Connect {
  std::uint16_t port = 0;
  bool operator==(const Connect&) const = default;
};
/// Goes on: the person wants to see no more of it. The answer is Detached, after what gives the terminal
/// back.
struct Detach {
  bool operator==(const Detach&) const = default;
};
/// Hears of each change of the jar's state, to its end. Status may follow, any number of times.
struct Watch {
  bool operator==(const Watch&) const = default;
};
}  // namespace request

using Request =
    std::variant<request::StartJar, request::Attach, request::Exec, request::Input, request::Resize,
                 request::Signal, request::Status, request::Stop, request::Pause, request::Resume,
                 request::Logs, request::Connect, request::Detach, request::Watch, request::Proceed>;

namespace answer {
/// The program runs.
struct Started {
  bool operator==(const Started&) const = default;
};
/// Of the terminal; or the text of Logs.
struct Output {
  Bytes bytes;
  bool operator==(const Output&) const = default;
};
/// What a preparation writes, for standard error.
struct Progress {
  Bytes bytes;
  bool operator==(const Progress&) const = default;
};
/// A line of belljar's own for the person.
struct Told {
  std::string line;
  bool operator==(const Told&) const = default;
};
/// A trap that the jar left; some before Ended.
struct LeftBehind {
  std::string path;
  std::string why;
  bool operator==(const LeftBehind&) const = default;
};
/// The last answer: the program has ended, and where it was the jar's own, so has the jar.
struct Ended {
  std::int32_t exit_code = 0;  ///< as shells report it
  std::uint32_t traps = 0;     ///< how many there are; not all were told
  bool operator==(const Ended&) const = default;
};
/// The last answer: belljar's own failure, or (exit code 126, 127) a program that can't be executed.
struct Failed {
  std::int32_t exit_code = 125;
  std::string why;
  std::string hint;
  bool nothing_has_run = false;  ///< in the jar, of what this start was to run; the jar's lock is dropped
  bool operator==(const Failed&) const = default;
};
/// The last answer: no longer attached, the program goes on.
struct Detached {
  std::string why;
  bool operator==(const Detached&) const = default;
};
/// Times are seconds since 1970.
struct StatusReport {
  std::string state;  ///< "starting", "running", "paused", "stopping"
  std::string command;
  std::string gateway;  ///< "not yet", "running", "restarting", "refused"
  std::int64_t started = 0;
  std::uint32_t keeper = 0;     ///< process number on the host
  std::uint32_t init = 0;       ///< the same
  std::uint32_t processes = 0;  ///< in the jar
  std::uint32_t programs = 0;   ///< that belljar started in it and that run
  std::uint32_t attached = 0;
  std::uint32_t restarts = 0;          ///< of the gateway
  std::uint64_t cpu_milliseconds = 0;  ///< used in the jar
  std::uint64_t memory = 0;            ///< bytes, proportional set size
  std::uint64_t own_memory = 0;        ///< the same of keeper, init and the gateway
  bool terminal = false;               ///< attach has something to show
  std::string why;                     ///< why it is paused, where a limit did that
  std::uint64_t out_of_memory = 0;     ///< processes that the kernel ended for the limit of memory
  std::vector<jar::LimitState> limits;
  bool operator==(const StatusReport&) const = default;
};
/// Done as asked.
struct Done {
  bool operator==(const Done&) const = default;
};
/// With one descriptor: a TCP connection of the jar's network.
struct Connected {
  bool operator==(const Connected&) const = default;
};
/// The jar's state is this now, as StatusReport names it.
struct Changed {
  std::string state;
  bool operator==(const Changed&) const = default;
};
}  // namespace answer

using Answer = std::variant<answer::Started, answer::Output, answer::Progress, answer::Told,
                            answer::LeftBehind, answer::Ended, answer::Failed, answer::Detached,
                            answer::StatusReport, answer::Done, answer::Connected, answer::Changed>;

/// A message beyond os::kMaxMessage is a panic: texts are cut to kMaxText, bytes come in pieces.
inline constexpr std::size_t kMaxText = 4096;
Bytes encode(const Request& request);
Bytes encode(const Answer& answer);

/// Errors: `unsupported` for another version, `malformed` for all else that is none.
Result<Request> decode_request(BytesView bytes);
Result<Answer> decode_answer(BytesView bytes);

}  // namespace belljar::keeper
