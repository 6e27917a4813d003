// The namespace backend: a jar is one process tree in seven namespaces of its own, with init as its PID 1.
#pragma once

#include <optional>
#include <string>

#include "jar/identity.h"
#include "jar/jar_spec.h"
#include "os/pid.h"

namespace belljar::jar {

/// The first process of a jar that does not know yet what jar it is: it has its namespaces, and makes the
/// network. Killed where it is given up.
struct FirstProcess {
  /// The caller must be single-threaded, and dumpable: the kernel gives the files of others in /proc to root,
  /// and with them the id maps.
  static Result<FirstProcess> begin();

  Identity identity;
  os::Pid process;
  os::Fd socket;
};

class NamespaceBackend : public Backend {
 public:
  /// `init_program`: the path of belljar-init. `prepared` is what the first start goes on with; why there is
  /// none is that start's error.
  explicit NamespaceBackend(std::string init_program, std::optional<Result<FirstProcess>> prepared = {})
      : init_program_(std::move(init_program)), prepared_(std::move(prepared)) {}

  /// Blocks for some milliseconds (the first start on a host for longer: it copies /etc). The caller is as
  /// for FirstProcess::begin().
  Result<std::unique_ptr<RunningJar>> start(const JarSpec& spec) override;

 private:
  std::string init_program_;
  std::optional<Result<FirstProcess>> prepared_;
};

}  // namespace belljar::jar
