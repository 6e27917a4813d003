#!/usr/bin/env bash
# The workspace as it stood before a start comes back to the byte, whatever the program in the jar did to it.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command git python3 script

export GIT_CONFIG_NOSYSTEM=1
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main

# describe: every entry with all that an undo brings back.
describe() {
    (cd "${1:-$WORKSPACE}" && python3 - <<'CODE'
import hashlib, os
def show(path):
    s = os.lstat(path)
    kind = s.st_mode & 0o170000
    what = ""
    if kind == 0o100000: what = hashlib.sha256(open(path, "rb").read()).hexdigest()
    if kind == 0o120000: what = os.readlink(path)
    names = [] if kind == 0o120000 else [n for n in os.listxattr(path) if n.startswith("user.")]
    print(repr(path), oct(s.st_mode), s.st_uid, s.st_gid, s.st_mtime_ns, what, [(n, os.getxattr(path, n)) for n in sorted(names)])
show(".")
for top, folders, files in os.walk("."):
    folders.sort()
    for name in sorted(folders + files): show(os.path.join(top, name))
CODE
    )
}
undo() { "$BELLJAR" undo "$JAR" --yes "$@"; }

git init -q .
mkdir -p src/deep empty
echo one >src/a.c
echo two >src/deep/b.c
git add .
git commit -q -m one
echo three >>src/a.c
git commit -q -a -m two
git tag v1
git branch topic
echo untracked >notes
printf 'ignored/\n' >.gitignore
mkdir ignored
echo cache >ignored/cache
ln -s a.c src/link
ln notes src/hard
chmod 640 notes
chmod 750 src/deep
touch -d '2001-02-03 04:05:06.123456789' src/a.c
touch -d '2003-01-01' empty
python3 -c 'import os; os.setxattr("notes", "user.note", b"kept")'
printf x >"$(printf 'line\nbreak \377')"
need_belljar
describe >"$TEST_DIR/before"

# assert_undone [WORDS…]: undo brings it all back, and git agrees.
assert_undone() {
    undo "$@" >"$TEST_DIR/out" 2>"$TEST_DIR/err" || { cat "$TEST_DIR/out" "$TEST_DIR/err" >&2; fail "the undo failed"; }
    describe >"$TEST_DIR/after"
    diff "$TEST_DIR/before" "$TEST_DIR/after" >&2 || fail "the workspace is not as it was"
    git -C "$WORKSPACE" fsck --strict >/dev/null 2>&1 || fail "git finds the repository broken"
}

# It deletes all that it can, the repository too; it rewrites history and deletes refs.
in_jar_shell 'rm -rf .git/* .git * .[!.]* 2>/dev/null; ls -A' >/dev/null
[ ! -e src ] || fail "the control: nothing was deleted"
assert_undone
in_jar_shell 'git config --global user.name x; git config --global user.email x@x; git checkout -q --orphan new; git commit -q -a -m new
    git branch -D main topic; git tag -d v1; git reflog expire --expire=now --all; git gc -q --prune=now; rm -rf src; echo x > src' >/dev/null 2>&1 || true
[ "$(git log --format=%s main 2>/dev/null | wc -l)" != 2 ] || fail "the control: the history is still there"
assert_undone

# It closes directories, puts symlinks and directories in the places of others.
mkdir "$HOME/precious"
echo mine >"$HOME/precious/file"
in_jar_shell 'chmod 000 notes src/a.c; chmod 500 src; rm -r empty; ln -s '"$HOME/precious"' empty; rm notes; mkdir notes; touch notes/x; chmod 000 notes'
assert_undone
in_jar_shell 'mv src elsewhere; ln -s '"$HOME/precious"' src; mkdir -p a/b/c; ln -s / a/b/c/root; chmod 555 a/b a'
assert_undone
assert_equal "$(ls -A "$HOME/precious"; cat "$HOME/precious/file")" "file
mine"

# While it runs nothing is undone, and the command says what ends it. A checkpoint can be made, whatever happens meanwhile.
(cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR" -- sh -c 'touch ready; while :; do
    mkdir swap; echo 1 > swap/file; rm -r swap; ln -s '"$HOME/precious"' swap; rm swap; done') &
running=$!
wait_for 10 test -e "$WORKSPACE/ready"
assert_exit 125 undo 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "belljar stop $JAR"
for _ in {1..20}; do "$BELLJAR" checkpoint "$JAR" >/dev/null; done
kill "$running"
wait "$running" || true
store="$XDG_STATE_HOME/belljar/jars/$JAR/undo"
if git --git-dir="$store" log --all -p 2>/dev/null | grep -q '^+mine'; then fail "a checkpoint went through a symlink"; fi
assert_undone

# The store is nobody else's, git reads it, and the jar doesn't see it.
assert_equal "$(stat -c %a "$store")" 700
git --git-dir="$store" fsck --strict --no-dangling 2>&1 | grep -v notice && fail "git finds the store broken"
in_jar test -e "$store" && fail "the jar sees its checkpoints"

# Listings, and an undo of the undo; one path; a question needs a terminal.
"$BELLJAR" undo "$JAR" --list | grep -q '^\*' || fail "no default is marked"
"$BELLJAR" undo "$JAR" --list --json | python3 -c 'import json,sys; l = json.load(sys.stdin); assert len(l) > 3 and sum(c["default"] for c in l) == 1, l'
in_jar_shell 'echo new > new; rm notes'
assert_exit 125 "$BELLJAR" undo "$JAR" </dev/null >"$TEST_DIR/out" 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "--yes"
assert_contains "$(cat "$TEST_DIR/out")" "removed    new"
assert_file new
undo --path notes >/dev/null
assert_file new
assert_file notes
last=$("$BELLJAR" undo "$JAR" --list | tail -n 1 | awk '{print $1}')
assert_undone --to 1
undo --to "$last" >/dev/null
assert_file new
assert_no_file notes
assert_undone --to 1
assert_exit 125 undo --to 4711 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "undo --list"

# A path that is nowhere, and a no.
assert_exit 125 undo --path nothere 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "nothere is neither in"
echo changed >notes
assert_contains "$(script -qc "'$BELLJAR' undo $JAR" /dev/null <<<n)" "nothing was changed"
assert_equal "$(cat notes)" changed

# A jar that starts in the same files while the question stands keeps the undo from being done.
mkfifo "$TEST_DIR/answer"
(cd "$WORKSPACE" && exec script -qc "'$BELLJAR' undo $JAR --to 1" /dev/null <"$TEST_DIR/answer" >"$TEST_DIR/out" 2>&1) &
asked=$!
exec 8>"$TEST_DIR/answer"
wait_for 20 grep -q "y/N" "$TEST_DIR/out"
assert_contains "$(cat "$TEST_DIR/out")" "jar '$JAR'"
(cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR-other" -- sh -c 'touch ready-again; sleep 60') &
running=$!
wait_for 20 test -e "$WORKSPACE/ready-again"
echo y >&8
exec 8>&-
wait "$asked" || true
assert_contains "$(cat "$TEST_DIR/out")" "jar '$JAR-other' is running"
assert_equal "$(cat notes)" changed
kill "$running"
wait "$running" || true

# A workspace that was moved is made again only when asked for.
cd "$TEST_DIR"
mv "$WORKSPACE" moved
assert_exit 125 undo --path nothere 2>"$TEST_DIR/err"
assert_contains "$(script -qc "'$BELLJAR' undo $JAR --to 1" /dev/null <<<n)" "isn't there: was it moved?"
assert_no_file "$WORKSPACE"
assert_undone --to 1
assert_lacks "$(cat "$TEST_DIR/out")" "to take this back"
rm -r "$WORKSPACE"
mv moved "$WORKSPACE"
cd "$WORKSPACE"

# The jar that is deleted takes its checkpoints along.
"$BELLJAR" rm "$JAR" >/dev/null
assert_no_file "$store"
assert_exit 125 undo 2>"$TEST_DIR/err"
