// The new root while it is being built: every path is resolved inside it and through no symlink, as parts of
// it (the home) were written by the jar before.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::jar {

class Tree {
 public:
  /// `root`: an O_PATH descriptor of the root directory.
  explicit Tree(os::Fd root) : root_(std::move(root)) {}

  [[nodiscard]] int root() const { return root_.get(); }

  /// The directory at this absolute path, made with its parents where missing. What stands in the way in a
  /// place that the jar can write is renamed aside ("NAME.displaced").
  Result<os::Fd> directory(const std::string& path, unsigned mode = 0755);
  /// The regular file at this path, made empty where missing.
  Result<os::Fd> file(const std::string& path);
  /// What is at this path; never makes it.
  Result<os::Fd> existing(const std::string& path);
  /// A new file.
  Result<void> write(const std::string& path, std::string_view content, unsigned mode = 0644);
  /// A new file with what `base` has, read from its beginning, and `more` behind it.
  Result<void> write_behind(const std::string& path, const os::Fd& base, std::string_view more);
  Result<void> link(const std::string& path, const std::string& target);

  /// Attaches a detached mount on a directory or a file, which is made where missing.
  Result<void> attach(const os::Fd& mount, const std::string& path);

 private:
  Result<os::Fd> step(int parent, const std::string& name, unsigned mode);
  os::Fd root_;
};

/// The path without its last component, and that component.
struct SplitPath {
  std::string parent;
  std::string name;
};
SplitPath split_path(const std::string& path);

}  // namespace belljar::jar
