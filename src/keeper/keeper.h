// Keeper: one jar while it runs, in the process belljar-keeper. Parent of init and of the gateway, holder of
// the terminal, the door and the authority; when it ends, by whatever end, all of that ends with it.
//
// Commands talk to it through Connections (client.h): the one that started the jar through an inherited
// socket, others through keeper.sock. What a person must be asked was asked by the command before.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/namespaces/backend.h"
#include "keeper/authority.h"
#include "keeper/connection.h"
#include "keeper/disk_watch.h"
#include "keeper/freezer.h"
#include "keeper/gateway_watch.h"
#include "keeper/jars.h"
#include "keeper/ledger.h"
#include "keeper/plan.h"
#include "keeper/processes.h"
#include "keeper/programs.h"
#include "keeper/shared_terminal.h"
#include "keeper/unlooked.h"
#include "rt/channel.h"
#include "rt/nursery.h"

namespace belljar::keeper {

/// What has become of the jar's program.
struct Outcome {
  int exit_code = 0;
  std::vector<std::string> reasons;  ///< one line each: which limit ended it, or some of it
  std::vector<jar::Trap> traps;
  std::optional<answer::Failed> failure;  ///< belljar's own, instead of the above
};

/// What is begun before it is known which jar it is for: the command still reads configuration and files.
struct Beginnings {
  Result<jar::FirstProcess> first_process;
  AuthorityInTheMaking authority;
};

class Keeper {
 public:
  /// `given` are the streams that `streams` names.
  Keeper(Plan plan, JarLock lock, Beginnings begun, Streams streams, std::vector<os::Fd> given);
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// The whole life of the jar; `starter` is the command that started it.
  void run(std::shared_ptr<Connection> starter);

  // --- for who serves a command (client.cc)

  [[nodiscard]] const Plan& plan() const { return plan_; }
  /// Set once the program runs, or the jar has ended before that.
  [[nodiscard]] rt::Event& started() { return started_; }
  /// Set once the jar has ended and nothing of it is left.
  [[nodiscard]] rt::Event& finished() { return finished_; }
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }
  /// The terminal of the program; null when it has none or does not run yet.
  [[nodiscard]] SharedTerminal* terminal() { return terminal_.get(); }
  /// The starter's own view of it.
  [[nodiscard]] std::shared_ptr<Viewer> starter_view() { return starter_view_; }
  /// Null before the jar is there.
  [[nodiscard]] Programs* programs() { return programs_ ? &*programs_ : nullptr; }
  /// The workspace is saved: the start may go on.
  void proceed();
  [[nodiscard]] bool may_proceed() const { return may_proceed_; }
  /// What a signal to the command means for the program, and in the end for the jar.
  void pass_signal(int number);
  /// Ends the jar: asks its program to end, and kills what is left after the grace period.
  void stop(std::chrono::seconds grace);
  [[nodiscard]] answer::StatusReport status() const;
  /// "starting", "running", "paused", "stopping"; who waits for a change of it is woken by each.
  [[nodiscard]] std::string state() const;
  [[nodiscard]] rt::WaitList& changes() { return changes_; }
  [[nodiscard]] bool is_paused() const { return paused_; }
  /// Holds all programs still, or lets them go on; nothing where that is so already.
  Result<void> pause();
  void resume();
  /// A connection to a port of the jar's loopback.
  Result<os::Fd> connect(std::uint16_t port) { return programs_->connect(port); }
  /// While it lives, somebody waits for the outcome and will be told of it.
  class Audience {
   public:
    explicit Audience(Keeper& keeper) : keeper_(keeper) { ++keeper_.audience_; }
    ~Audience() { --keeper_.audience_; }
    Audience(const Audience&) = delete;
    Audience& operator=(const Audience&) = delete;

   private:
    Keeper& keeper_;
  };

 private:
  /// How long a program may go on after it was asked to end.
  static constexpr auto kGrace = std::chrono::seconds(10);

  Result<void> start();
  Result<void> await_workspace(timespec started);
  Result<std::string> take_authority();
  Result<int> run_programs();
  Result<int> prepare(const Plan::Preparation& preparation);
  Result<int> run_program();
  Result<int> not_started(const Error& error, const jar::ExecRequest& request);
  Result<void> finish(int code);
  void search_for_traps();
  void keep_end();
  // limit_watch.cc
  Result<void> watch_limits();
  Result<void> watch_wall_time();
  Result<void> begin_disk_watch();
  Result<void> watch_disk();
  Result<void> hold_still(const std::string& reason);
  void tell_of_memory();
  void search_in(const std::string& root, const std::vector<std::string>& known,
                 const std::string& shown_before);
  Result<void> listen();
  Result<void> watch_ledger();
  Result<void> watch_signals();
  [[nodiscard]] std::string jars_directory() const;
  Result<void> do_what_can_wait();
  Result<void> leave_authority();
  Result<void> tell_daemon();
  void end_all(int number);
  void watch(std::string what, std::function<Result<void>()> body);
  void note(const std::string& what);
  void tell(const std::string& line);
  void tell_weaknesses();

  Plan plan_;
  std::optional<JarLock> lock_;
  Beginnings begun_;
  bool authority_left_ = false;
  Streams streams_;
  std::vector<os::Fd> given_;
  std::shared_ptr<Connection> starter_;

  // In the order of their making: the jar is gone before its gateway, the gateway before the ledger.
  std::optional<Ledger> ledger_;
  GatewayInputs inputs_;
  std::optional<GatewayWatch> gateway_;
  std::unique_ptr<jar::RunningJar> jar_;
  std::optional<Unlooked> unlooked_;
  std::optional<Programs> programs_;
  std::unique_ptr<SharedTerminal> terminal_;
  std::shared_ptr<Viewer> starter_view_;
  std::shared_ptr<Program> program_;  ///< the one that signals are for: the program, or a preparation

  rt::Event decided_;  ///< whether the start may go on
  bool may_proceed_ = false;
  std::optional<Freezer> freezer_;
  std::optional<Pause> pause_;  ///< where there is nothing to freeze it with
  std::optional<DiskWatch> disk_;
  bool paused_ = false;
  std::string why_paused_;  ///< where a limit did it
  bool terminated_ = false;
  int interrupted_ = 0;  ///< the signal that ended the jar rather than its program
  unsigned audience_ = 0;
  Outcome outcome_;
  rt::Event started_;
  rt::Event finished_;
  rt::WaitList changes_;  ///< of the state
  rt::Nursery output_;
  rt::Nursery input_;
  rt::Nursery background_;
  rt::Nursery signals_;
  rt::Nursery clients_;
};

}  // namespace belljar::keeper
