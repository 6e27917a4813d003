// The namespace backend: a jar is one process tree in seven namespaces of its own, with init as its PID 1.
#pragma once

#include <string>

#include "jar/jar_spec.h"

namespace belljar::jar {

class NamespaceBackend : public Backend {
 public:
  /// `init_program`: the path of belljar-init.
  explicit NamespaceBackend(std::string init_program) : init_program_(std::move(init_program)) {}

  /// Blocks for some milliseconds (the first start on a host for longer: it copies /etc). The caller must be
  /// single-threaded, and dumpable: the kernel gives the files of others in /proc to root, and with them the
  /// id maps.
  Result<std::unique_ptr<RunningJar>> start(const JarSpec& spec) override;

 private:
  std::string init_program_;
};

}  // namespace belljar::jar
