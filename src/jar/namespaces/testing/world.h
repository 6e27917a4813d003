// A host for the tests of the backend: directories of its own, jars in them, and programs run in the jars.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jar/namespaces/backend.h"

namespace belljar::jar::testing {

struct Outcome {
  int code = -1;  ///< as a shell reports it
  std::string output;
};

class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] std::string path(const std::string& below) const { return base_ + "/" + below; }
  /// A specification whose workspace is path("project"), with the probe in it.
  [[nodiscard]] JarSpec spec() const;
  NamespaceBackend& backend() { return backend_; }
  Result<std::unique_ptr<RunningJar>> start() { return backend_.start(spec()); }

  void write(const std::string& below, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& below) const;
  /// A command of the host's shell; true when it succeeded.
  static bool host(const std::string& command);

 private:
  std::string base_;
  std::string cache_;
  NamespaceBackend backend_;
};

/// Runs a program in the jar with both outputs in one pipe, to its end.
Outcome run(RunningJar& jar, const std::vector<std::string>& arguments);
inline Outcome shell(RunningJar& jar, const std::string& script) {
  return run(jar, {"/bin/sh", "-c", script});
}
/// The next exit, waited for.
Result<RunningJar::Ended> await_exit(RunningJar& jar);

/// Runs the scenario as the caller and, when the caller is root, also as an unprivileged user, in a child
/// process.
void as_each_user(const std::function<void(World&)>& scenario);

/// Why this host can't make jars at all; empty when it can.
std::string unavailable();

}  // namespace belljar::jar::testing
