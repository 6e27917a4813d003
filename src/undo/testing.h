// What the tests of this folder share: a place with a workspace and a jar's directory, and a workspace's
// description by the system's own tools, against which an undo is judged.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "undo/checkpoint.h"
#include "undo/difference.h"
#include "undo/restore.h"

namespace belljar::undo {

class Place : public ::testing::Test {
 protected:
  Place() {
    char name[] = "/var/tmp/belljar-undo-XXXXXX";
    root_ = std::filesystem::canonical(::mkdtemp(name));
    std::filesystem::create_directories(jar());
    std::filesystem::create_directories(workspace());
  }
  ~Place() override {
    shell("chmod -R u+rwx " + root_);
    std::filesystem::remove_all(root_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  [[nodiscard]] std::string jar() const { return root_ + "/jar"; }
  [[nodiscard]] std::string workspace() const { return root_ + "/work"; }

  /// Runs a script in the workspace.
  [[nodiscard]] int run(const std::string& script) const {
    return shell("cd " + workspace() + "; " + script);
  }
  static int shell(const std::string& script) {
    return std::system(("exec 2>&1; set -e; " + script).c_str());
  }
  [[nodiscard]] std::string output(const std::string& script) const {
    auto file = root_ + "/output";
    auto code = shell("cd " + workspace() + "\n{ " + script + "\n} > " + file);
    std::ifstream in(file);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    return code == 0 ? text : "FAILED: " + text;
  }
  /// Everything that an undo brings back, as find(1), getfattr-free python and sha256sum(1) see it.
  [[nodiscard]] std::string description() const {
    return output(R"(python3 - <<'CODE'
import os, hashlib
links = {}
def show(path):
    s = os.lstat(path)
    kind = s.st_mode & 0o170000
    if kind == 0o100000:
        mode = s.st_mode
        content = hashlib.sha256(open(path, 'rb').read()).hexdigest() if os.access(path, os.R_OK) else 'closed'
    else:
        content = os.readlink(path) if kind == 0o120000 else ''
    first = links.setdefault((s.st_dev, s.st_ino), path) if kind != 0o040000 else ''
    attributes = [(n, os.getxattr(path, n, follow_symlinks=False)) for n in sorted(os.listxattr(path, follow_symlinks=False)) if n.startswith('user.')]
    print(repr(path), oct(s.st_mode), s.st_uid, s.st_gid, s.st_mtime_ns, s.st_size if kind != 0o040000 else 0, content, repr(first), attributes)
show(b'.')
for top, folders, files in os.walk(b'.'):
    folders.sort()
    for name in sorted(folders + files): show(os.path.join(top, name))
CODE
)");
  }

  [[nodiscard]] Saving saving(const std::string& why = "a test") const {
    return {.workspace = workspace(), .why = why};
  }
  Saved save_now(const std::string& why = "a test") {
    auto store = Store::open(jar());
    auto saved = save(*store, saving(why));
    EXPECT_TRUE(saved) << saved.error().to_string();
    return std::move(*saved);
  }
  /// The state before is saved, as the command does.
  Result<Restored> undo_to(std::uint64_t number, const std::string& path = "", bool discard = false) {
    auto store = TRY(Store::open(jar()));
    auto saved = TRY(save(store, saving("before an undo")));
    auto checkpoint = TRY(store.find(number));
    auto then = TRY(store.load(checkpoint));
    Restoring restoring{
        .workspace = workspace(), .target = number, .path = path, .discard = discard, .durable = false};
    return restore(store, saved.scan.state, then, restoring);
  }
  [[nodiscard]] std::string git(const std::string& words) const {
    return output("git --git-dir=" + jar() + "/undo " + words);
  }

  std::string root_;
};

}  // namespace belljar::undo
