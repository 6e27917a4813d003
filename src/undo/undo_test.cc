// Saving and bringing back, judged by the system's own tools.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "undo/large_files.h"
#include "undo/testing.h"

namespace belljar::undo {
namespace {

constexpr const char* kEverything = R"SH(
    git init -q; git config user.name T; git config user.email t@example.com
    mkdir -p src/deep/er empty closed; echo one > src/a.c; echo two > src/deep/b.c; : > src/nothing
    git add .; git commit -q -m one; git tag v1; git branch other; echo more >> src/a.c
    chmod 640 src/a.c; chmod 4755 src/deep/b.c; chmod 751 src/deep
    ln -s a.c src/link; ln -s /etc/passwd outside; ln -s nowhere dangling; mkfifo fifo
    ln src/a.c src/deep/er/hard; ln src/nothing second
    touch -d '2001-02-03 04:05:06.123456789' src/a.c; touch -h -d '1999-01-01' src/link; touch -d '2010-10-10' empty
    touch -d '1960-01-01' src/nothing
    printf x > "$(printf 'new\nline')"; printf y > "$(printf '\377\376')"; printf z > 'back\slash'; printf z > '%41'
    mkdir -p nested; git init -q nested; echo n > nested/file
    python3 -c "import os; os.setxattr('src/a.c', 'user.note', b'a\0b'); os.setxattr('empty', 'user.x', b'')"
    echo secret > closed/file; chmod 0 closed/file
    truncate -s 300M sparse; printf here | dd of=sparse bs=1 seek=100M conv=notrunc status=none
    head -c 6000000 /dev/urandom > large
)SH";

class Undo : public Place {};

TEST_F(Undo, BringsEverythingBackToTheByte) {
  ASSERT_EQ(run(kEverything), 0);
  auto before = description();
  auto saved = save_now();
  EXPECT_TRUE(saved.made);
  EXPECT_EQ(description(), before) << "saving changed the workspace";
  ASSERT_EQ(run("chmod -R u+rwx .; rm -rf .git src nested new* large; echo bad "
                "> junk; mkdir -p a/b/c; echo "
                "x > a/b/c/d;"
                "rm -r empty; ln -s /etc empty; rm fifo; mkdir fifo; echo 1 > "
                "fifo/x; chmod 500 a/b; "
                "truncate -s 5 sparse"),
            0);
  auto done = undo_to(saved.number);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->complaint_count, 0U) << done->complaints[0];
  EXPECT_EQ(description(), before);
  EXPECT_EQ(save_now().scan.top, saved.scan.top);
  // And the undo can be undone.
  ASSERT_TRUE(undo_to(saved.number + 1));
  EXPECT_EQ(output("cat junk a/b/c/d; ls -A a; readlink empty; test ! -e .git; "
                   "stat -c %a a/b"),
            "bad\nx\nb\n/etc\n500\n");
}

TEST_F(Undo, GitCanReadTheStore) {
  ASSERT_EQ(run(kEverything), 0);
  save_now();
  ASSERT_EQ(run("echo three > src/c.c; rm outside"), 0);
  save_now();
  EXPECT_EQ(git("fsck --full --strict --no-dangling"), "");
  EXPECT_EQ(git("show refs/checkpoints/2:workspace/src/c.c"), "three\n");
  EXPECT_EQ(git("show refs/checkpoints/1:workspace/src/a.c"), "one\nmore\n");
  EXPECT_EQ(git("ls-tree --name-only refs/checkpoints/1:workspace").find(".git\n"), std::string::npos);
  EXPECT_NE(git("count-objects -v").find("packs: 2"), std::string::npos);
}

TEST_F(Undo, WhatDidNotChangeIsNotSavedAgain) {
  ASSERT_EQ(run("mkdir d; echo 1 > d/f; touch -d '2 days ago' d/f"), 0);
  auto first = save_now();
  auto second = save_now();
  EXPECT_FALSE(second.made);
  EXPECT_EQ(second.number, first.number);
  ::sleep(3);  // past the grain of times
  save_now();
  auto fourth = save_now();
  EXPECT_FALSE(fourth.made);
  // Content changed, size and mtime the same: the ctime tells.
  ASSERT_EQ(run("echo 2 > d/f; touch -d '2 days ago' d/f"), 0);
  EXPECT_TRUE(save_now().made);
}

/// Changes within a clock's tick of the scan are not missed.
TEST_F(Undo, RacyChangesAreSeen) {
  for (int n = 0; n < 50; ++n) {
    { std::ofstream(workspace() + "/f") << "a" << n % 10; }
    auto one = save_now();
    { std::ofstream(workspace() + "/f") << "b" << n % 10; }
    auto two = save_now();
    ASSERT_NE(one.scan.top, two.scan.top) << n;
  }
}

TEST_F(Undo, OnlyAPath) {
  ASSERT_EQ(run("mkdir -p a/b; echo 1 > a/b/f; echo 1 > a/g; echo 1 > h"), 0);
  auto saved = save_now();
  ASSERT_EQ(run("rm -r a; echo 2 > h; echo new > other"), 0);
  ASSERT_TRUE(undo_to(saved.number, "a/b"));
  EXPECT_EQ(output("cat a/b/f h other; test ! -e a/g"), "1\n2\nnew\n");
  ASSERT_TRUE(undo_to(saved.number, "other"));  // it wasn't there
  EXPECT_EQ(output("cat h; test ! -e other"), "2\n");
}

TEST_F(Undo, ASymlinkInThePlaceOfADirectoryIsNotFollowed) {
  ASSERT_EQ(run("mkdir d; echo mine > d/f; echo kept > ../outside"), 0);
  ASSERT_EQ(run("mkdir ../target; echo theirs > ../target/f; echo extra > "
                "../target/extra"),
            0);
  auto saved = save_now();
  ASSERT_EQ(run("rm -r d; ln -s ../target d"), 0);
  ASSERT_TRUE(undo_to(saved.number));
  EXPECT_EQ(output("cat d/f ../target/f ../target/extra; test ! -L d"), "mine\ntheirs\nextra\n");
}

/// Undoes to `number` what `meanwhile` then changes behind the look.
Result<Restored> undo_past(Store& store, const Saving& saving, std::uint64_t number,
                           const std::function<void()>& meanwhile) {
  auto now = TRY(save(store, saving));
  auto checkpoint = TRY(store.find(number));
  auto then = TRY(store.load(checkpoint));
  meanwhile();
  return restore(store, now.scan.state, then,
                 {.workspace = saving.workspace, .target = number, .durable = false});
}

TEST_F(Undo, OwnerAndModeAreGivenToNoOtherFile) {
  ASSERT_EQ(run("echo tool > tool; chmod 4755 tool; mkdir d; echo 1 > d/f; ln d/f other; chmod 600 d/f"), 0);
  auto saved = save_now();
  ASSERT_EQ(run("chmod 644 tool d/f"), 0);
  auto store = Store::open(jar());
  auto done = undo_past(*store, saving(), saved.number,
                        [this] { ASSERT_EQ(run("echo evil > evil; mv evil tool"), 0); });
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->complaint_count, 1U);
  EXPECT_EQ(output("cat tool; stat -c %a tool d/f other"), "evil\n644\n600\n600\n");
}

TEST_F(Undo, ADirectoryThatWasReplacedIsNotEntered) {
  ASSERT_EQ(run("mkdir d other; echo 1 > d/f; echo mine > other/f"), 0);
  auto saved = save_now();
  ASSERT_EQ(run("echo 2 > d/f"), 0);
  auto store = Store::open(jar());
  EXPECT_FALSE(
      undo_past(*store, saving(), saved.number, [this] { ASSERT_EQ(run("mv d moved; mv other d"), 0); }));
  EXPECT_EQ(output("cat d/f moved/f"), "mine\n2\n");
}

TEST_F(Undo, DeepTrees) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  auto kept = limit;
  limit.rlim_cur = 256;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const char* deep =
      "python3 -c \"import os\nfor n in range(1000): os.mkdir('dir'); "
      "os.chdir('dir')\nopen('end','w').write('x')\"";
  ASSERT_EQ(run(deep), 0);
  auto saved = save_now();
  EXPECT_EQ(saved.scan.state.directories.size(), 1001U);
  ASSERT_EQ(run("rm -rf dir; echo x > y"), 0);
  auto done = undo_to(saved.number);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(save_now().scan.top, saved.scan.top);
  ASSERT_TRUE(undo_to(saved.number + 1));
  EXPECT_EQ(output("ls"), "y\n");
  ::setrlimit(RLIMIT_NOFILE, &kept);
}

/// A state of nested directories, each with a file.
State make_deep(std::uint32_t depth) {
  State state;
  state.entries.push_back({.mode = S_IFDIR | 0755, .child = 0});
  state.directories.push_back({.first = 1, .count = 0, .entry = 0});
  for (std::uint32_t n = 1; n <= depth; ++n) {
    auto& above = state.directories.back();
    above.first = static_cast<std::uint32_t>(state.entries.size());
    above.count = 2;
    Entry directory{.mode = S_IFDIR | 0755, .child = n};
    directory.name_at = state.add_text(std::string(200, 'd'));
    directory.name_size = 200;
    Entry file{.mode = S_IFREG | 0644, .storage = Storage::blob};
    file.name_at = state.add_text("f");
    file.name_size = 1;
    state.entries.push_back(directory);
    state.entries.push_back(file);
    state.directories.push_back({.entry = above.first, .parent = n - 1});
  }
  return state;
}

/// The paths of all that is below come to 2 TB.
TEST_F(Undo, ADeepTreeIsComparedWithoutItsPaths) {
  auto deep = make_deep(100'000);
  State empty;
  empty.entries.push_back({.mode = S_IFDIR | 0755, .child = 0});
  empty.directories.push_back({.entry = 0});
  empty.directories[0].listing.bytes[0] = 1;
  auto removed = compare(deep, empty, "");
  ASSERT_EQ(removed.size(), 2U);
  EXPECT_EQ(removed[0].kind, Change::Kind::removed);
  EXPECT_EQ(removed[0].below, 199'998U);
  EXPECT_EQ(path_of(removed[1], deep, empty), "f");
  auto back = compare(empty, deep, "");
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].kind, Change::Kind::brought_back);
  // What could not be saved at the very bottom is kept, and so are the
  // directories on the way to it.
  deep.entries.back().storage = Storage::unsaved;
  deep.entries.back().reason = Reason::no_room;
  auto kept = compare(deep, empty, "");
  ASSERT_EQ(kept.size(), 200'000U);
  EXPECT_EQ(path_of(kept[199'000], deep, empty), "…/f");
  EXPECT_FALSE(find_destroyed(deep, empty, ""));
}

TEST_F(Undo, IgnoredLargeFilesAreLeftAlone) {
  ASSERT_EQ(run("git init -q; printf '*.bin\\n!kept.bin\\n/out/\\n' > "
                ".gitignore; mkdir out sub;"
                "for f in x.bin kept.bin out/y sub/tracked.bin; do head -c "
                "2000 /dev/urandom > $f; truncate "
                "-s 20M $f; done;"
                "git add -f sub/tracked.bin"),
            0);
  auto saved = save_now();
  ASSERT_EQ(saved.scan.unsaved.size(), 2U);
  EXPECT_EQ(saved.scan.unsaved[0].path, "x.bin");
  EXPECT_EQ(saved.scan.unsaved[1].path, "out/y");
  auto x = output("sha256sum x.bin kept.bin sub/tracked.bin");
  ASSERT_EQ(run("mkdir new; head -c 3000 /dev/urandom > new/z.bin; truncate -s "
                "30M new/z.bin; rm kept.bin "
                "sub/tracked.bin; echo 1 > new/small"),
            0);
  ASSERT_TRUE(undo_to(saved.number));
  EXPECT_EQ(output("sha256sum x.bin kept.bin sub/tracked.bin"), x);
  EXPECT_EQ(output("ls new"), "z.bin\n") << "what could not be saved must stay";
  auto done = undo_to(saved.number, "", true);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(output("test ! -e new; ls"), "kept.bin\nout\nsub\nx.bin\n");
}

TEST_F(Undo, ADamagedIndexCostsNothing) {
  ASSERT_EQ(run("echo 1 > f"), 0);
  auto first = save_now();
  ASSERT_EQ(run("printf damage | dd of=../jar/undo/seen bs=1 seek=200 "
                "conv=notrunc status=none"),
            0);
  auto second = save_now();
  EXPECT_FALSE(second.made);
  EXPECT_EQ(second.scan.top, first.scan.top);
  ASSERT_EQ(run("rm ../jar/undo/seen; echo 2 > f"), 0);
  EXPECT_TRUE(save_now().made);
  ASSERT_TRUE(undo_to(first.number));
  EXPECT_EQ(output("cat f"), "1\n");
}

TEST_F(Undo, ADamagedCheckpointIsToldAndHarmsNoOther) {
  ASSERT_EQ(run("echo 1 > f"), 0);
  auto first = save_now();
  ASSERT_EQ(run("echo 2 > f"), 0);
  auto second = save_now();
  ASSERT_EQ(run("chmod u+w ../jar/undo/objects/pack/*; for p in 20 60 100; do "
                "printf XXXX | dd of=$(ls "
                "../jar/undo/objects/pack/pack-c2.pack) bs=1 seek=$p "
                "conv=notrunc status=none; done"),
            0);
  auto failed = undo_to(second.number);
  ASSERT_FALSE(failed);
  auto done = undo_to(first.number);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(output("cat f"), "1\n");
}

TEST_F(Undo, AnInterruptedUndoIsEndedByTheNext) {
  ASSERT_EQ(run("mkdir d; echo 1 > d/f; echo 1 > g"), 0);
  auto saved = save_now();
  ASSERT_EQ(run("rm -r d; echo 2 > g; mkdir .belljar-undo-00; echo half > "
                ".belljar-undo-00/3"),
            0);
  ASSERT_TRUE(write_journal(jar() + "/undo", {.target = saved.number, .staging = ".belljar-undo-00"}));
  EXPECT_FALSE(save_before_start(jar(), saving()));
  ASSERT_TRUE(undo_to(saved.number));
  EXPECT_EQ(output("cat d/f g; ls -A"), "1\n1\nd\ng\n");
  EXPECT_TRUE(save_before_start(jar(), saving()));
}

TEST_F(Undo, TheRoomIsKeptAndSmallFilesComeFirst) {
  ASSERT_EQ(run("head -c 9000000 /dev/urandom > aaa; echo small > zzz"), 0);
  auto store = Store::open(jar());
  auto wanted = saving();
  wanted.bounds.size = 10U << 20;
  auto saved = save(*store, wanted);
  ASSERT_TRUE(saved);
  ASSERT_EQ(saved->scan.unsaved.size(), 0U);
  ASSERT_EQ(run("head -c 9000000 /dev/urandom > bbb; head -c 5000000 "
                "/dev/urandom > ccc"),
            0);
  saved = save(*store, wanted);
  ASSERT_TRUE(saved);
  ASSERT_EQ(saved->scan.unsaved.size(), 1U);
  EXPECT_EQ(saved->scan.unsaved[0].path, "bbb");
  EXPECT_EQ(saved->scan.unsaved[0].reason, Reason::no_room);
}

std::uint64_t stored_beside(const std::string& jar) {
  std::uint64_t sum = 0;
  for (const auto& one : std::filesystem::directory_iterator(jar + "/undo/large")) {
    struct stat status {};
    EXPECT_EQ(::lstat(one.path().c_str(), &status), 0);
    sum += static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  return sum;
}

/// Holes between single bytes stay holes in the store.
TEST_F(Undo, AScatteredFileTakesNoMoreRoomThanItHas) {
  ASSERT_EQ(run("python3 -c \"import os\nf = open('scattered', 'wb')\nfor n in "
                "range(320):\n  "
                "f.seek(n << 16); f.write(b'x')\nf.truncate(20 << 20)\""),
            0);
  struct stat status {};
  ASSERT_EQ(::stat((workspace() + "/scattered").c_str(), &status), 0);
  auto taken = static_cast<std::uint64_t>(status.st_blocks) * 512;
  ASSERT_LT(taken, 4U << 20) << "the control: the file has no holes";
  auto wanted = saving();
  wanted.bounds.size = 8U << 20;
  auto store = Store::open(jar());
  auto saved = save(*store, wanted);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->scan.unsaved.size(), 0U);
  EXPECT_LE(stored_beside(jar()), 2 * taken);
}

TEST_F(Undo, ALargeFileIsCopiedWithinItsRoom) {
  ASSERT_EQ(run("head -c 1000000 /dev/urandom > from; : > to"), 0);
  auto from = os::open_file(workspace() + "/from", O_RDONLY);
  auto to = os::open_file(workspace() + "/to", O_RDWR);
  ASSERT_TRUE(from && to);
  auto copied = copy_content(from->get(), to->get(), 500'000);
  if (copied && copied->shared) GTEST_SKIP() << "this file system shares it, which takes no room";
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code(), ErrorCode::limit_exceeded);
  ASSERT_EQ(run(": > to"), 0);
  EXPECT_TRUE(copy_content(from->get(), to->get(), 1'003'520));
}

Result<Scan> scan_by(const std::string& workspace, const std::string& jar, const ScanRules& rules) {
  auto store = TRY(Store::open(jar));
  auto pack = TRY(store.new_pack('c'));
  return scan(TRY(open_workspace(workspace)), State{}, ObjectId{}, store, pack, rules);
}

/// A jar that makes more of something than can be saved loses that, and not what is beside it.
TEST_F(Undo, TooManyEntriesCostTheirDirectoryOnly) {
  ASSERT_EQ(run("mkdir -p many/in src; for n in $(seq 50); do : > many/in/$n; done; echo mine > src/a.c; "
                "python3 -c \"import os\nfor n in range(9): os.setxattr('many/in/%d' % (n + 1), 'user.x', "
                "b'y' * 1000)\nos.setxattr('src/a.c', 'user.n', b'z')\""),
            0);
  auto scanned = scan_by(workspace(), jar(), {.most_entries = 40});
  ASSERT_TRUE(scanned) << scanned.error().to_string();
  ASSERT_EQ(scanned->unsaved.size(), 1U);
  EXPECT_EQ(scanned->unsaved[0].path, "many/in");
  EXPECT_EQ(scanned->unsaved[0].reason, Reason::too_many);
  EXPECT_NE(find_path(scanned->state, "src/a.c"), kNone);
  scanned = scan_by(workspace(), jar(), {.most_names = 40});
  ASSERT_TRUE(scanned) << scanned.error().to_string();
  ASSERT_EQ(scanned->unsaved.size(), 1U);
  EXPECT_EQ(scanned->unsaved[0].reason, Reason::too_many);
  scanned = scan_by(workspace(), jar(), {.most_attributes = 5000});
  ASSERT_TRUE(scanned) << scanned.error().to_string();
  EXPECT_EQ(scanned->unsaved.size(), 0U);
  EXPECT_EQ(scanned->dropped, 5U);
  const auto& mine = scanned->state.entries[find_path(scanned->state, "src/a.c")];
  EXPECT_FALSE(scanned->state.attributes(mine).empty());
  scanned = scan_by(workspace(), jar(), {.most_entries = 2});
  ASSERT_FALSE(scanned);
  EXPECT_EQ(scanned.error().code(), ErrorCode::limit_exceeded);
}

}  // namespace
}  // namespace belljar::undo
