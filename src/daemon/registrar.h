// Registrar: the half of belljard that knows all jars at once, and answers who asks. Confined; it reaches the
// jars' records (to read), the registry and the ledger (opened before), and sockets that the broker gives it.
//
// What is true of a jar is looked up each time: in its directory, by its lock, from its keeper. The registry
// adds what has been.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include <sys/stat.h>

#include "base/result.h"
#include "daemon/order.h"
#include "daemon/protocol.h"
#include "daemon/registry.h"
#include "daemon/request_counter.h"
#include "daemon/watched.h"
#include "io/fd_stream.h"
#include "keeper/jars.h"
#include "rt/channel.h"
#include "rt/nursery.h"

namespace belljar::daemon {

/// A program as it was when it was started: another build may take its place.
class ProgramFile {
 public:
  static ProgramFile own();
  [[nodiscard]] bool is_replaced() const;

 private:
  std::string path_;
  struct stat file_ {};
};

class Registrar {
 public:
  struct Parts {
    std::string jars_directory;
    keeper::Jars jars;
    Registry registry;
    std::optional<RequestCounter> counter;  ///< nothing where the ledger can't be read
    os::Fd changes;                         ///< inotify on the jars' directory
    io::MessageSocket broker;
    ProgramFile program;             ///< what this process runs
    rt::Duration idle;               ///< so long without a jar that runs and without a client, and it ends
    std::vector<std::string> notes;  ///< what was out of order at the start
  };
  explicit Registrar(Parts parts);

  /// Until it is idle, the broker closes, or the jars' directory is gone.
  Result<void> run();

 private:
  struct Pending {
    rt::Event done;
    os::Fd socket;
  };

  // registrar_look.cc: what there is
  Result<void> look();
  void look_soon();
  void note_record(const keeper::JarRecord& record);
  void begin_watching(const std::string& jar);
  Result<void> watch(const std::string& jar, Watched& watched);
  Result<os::Fd> ask_for_keeper(const std::string& jar);
  void order(Order::Kind kind, const std::string& jar);

  // registrar_answer.cc: what is said of it
  Result<void> serve(io::MessageSocket client);
  Result<std::vector<KnownJar>> list();
  [[nodiscard]] bool is_any_awaited() const;
  [[nodiscard]] KnownJar describe(const keeper::JarRecord& record) const;
  [[nodiscard]] answer::About about() const;
  void count_requests(rt::Duration budget);
  void add_note(const std::string& note);

  // registrar.cc: what goes on all the time
  Result<void> hear_broker();
  Result<void> watch_directory();
  Result<void> look_when_asked();
  Result<void> end_when_idle();
  Result<void> order_tending();
  Result<void> count_in_background();

  Parts parts_;
  std::int64_t started_;
  std::vector<std::string> untold_;
  std::vector<keeper::JarRecord> records_;
  std::map<std::string, RegistryEntry> entries_;
  std::map<std::string, std::shared_ptr<Watched>> watched_;
  std::map<std::string, std::int64_t> unwatchable_;  ///< by which start: its keeper is not understood
  std::map<std::string, std::shared_ptr<Pending>> pending_;
  std::set<std::string> cleared_;  ///< for whom the clearing was ordered and has not been seen done
  bool counted_ = false;           ///< to the end of the ledger
  std::uint64_t ends_ = 0;         ///< of connections to keepers
  rt::WaitList heard_;             ///< from a keeper, or of its end
  bool look_wanted_ = false;
  rt::WaitList look_;
  rt::Instant last_active_;
  rt::Event done_;
  rt::Nursery watches_;
  rt::Nursery clients_;
  rt::Nursery background_;
};

}  // namespace belljar::daemon
