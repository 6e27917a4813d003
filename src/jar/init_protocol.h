// What belljar and the init of a jar say to each other over the SOCK_SEQPACKET pair that init has as
// descriptor 3. Plain structures: both ends are of one build and one machine. init trusts what it reads;
// belljar checks what it gets, as init lives among the jar's programs.
#pragma once

#include <cstdint>

namespace belljar::jar {

inline constexpr int kInitSocket = 3;
/// Where the jar's filter of system calls hands changes of mode to init (bin/init/modes.h); may be missing.
inline constexpr int kInitModes = 4;

enum class InitRequestKind : std::uint32_t {
  /// Starts a program. Carries descriptors: one with the ProgramText, then one for each bit of `standard`.
  exec = 1,
  signal = 2,
  resize = 3,
  /// Connects to port `number` of the jar's loopback, IPv`version`; answered by `started` with the socket.
  connect = 4,
};

struct InitRequest {
  InitRequestKind kind;
  std::uint32_t id;        ///< chosen by belljar, never used again
  std::uint32_t standard;  ///< exec: bit n set: descriptor n is given
  std::uint32_t terminal;  ///< exec: open a terminal, what isn't given of 0–2 is its slave
  std::uint16_t rows;      ///< exec with terminal, resize
  std::uint16_t columns;
  std::int32_t number;     ///< signal, connect
  std::uint32_t version;   ///< connect: 4 or 6
  std::uint32_t ends_jar;  ///< exec: init ends, and the jar with it, when this program has ended
};

/// The text of a program: this head, then `arguments` + `environment` zero-terminated texts and the working
/// directory, also zero-terminated.
struct ProgramTextHead {
  std::uint32_t arguments;
  std::uint32_t environment;
  std::uint32_t size;  ///< bytes that follow
};
inline constexpr std::uint32_t kMaxProgramText = 8U << 20;

enum class InitReplyKind : std::uint32_t {
  /// Answers exec: `failure` is 0 or the errno that kept it from starting; with a terminal its master is
  /// attached.
  started = 1,
  ended = 2,   ///< a program ended: `code` or `signal`
  broken = 3,  ///< the jar could not be set up: a text follows the structure
  /// The network is ready: `code` descriptors of the door are attached, then those of the system's layers.
  door = 4,
};

/// Where starting failed, when `failure` isn't 0.
enum class InitStage : std::uint32_t {
  execute = 0,
  working_directory = 1,
  terminal = 2,
  process = 3,
  request = 4
};

struct InitReply {
  InitReplyKind kind;
  std::uint32_t id;
  std::int32_t failure;
  InitStage stage;
  std::int32_t code;
  std::int32_t signal;
};

}  // namespace belljar::jar
