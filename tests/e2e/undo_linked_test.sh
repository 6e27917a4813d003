#!/usr/bin/env bash
# A git directory outside of the workspace (a linked worktree's, a submodule's) comes back with it; who else is in the same
# repository keeps an undo from being done; what git does to its own times asks nobody.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command git script
need_belljar
export GIT_CONFIG_NOSYSTEM=1
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main
git config --global protocol.file.allow always

# snapshot DIR…: every entry with mode, links, time and content.
snapshot() {
    local place
    for place; do
        (cd "$place" && find . -printf '%p %y %m %U %G %n %T@ %l\n' | sort && find . -type f -exec sha256sum {} + | sort)
    done
}
undo() { "$BELLJAR" undo "$@" >"$TEST_DIR/out" 2>"$TEST_DIR/err"; }
assert_undone() {
    undo "$JAR" --yes "$@" || { cat "$TEST_DIR/out" "$TEST_DIR/err" >&2; fail "the undo failed"; }
    snapshot "$WORKSPACE" "$GIT" | diff "$TEST_DIR/before" - >&2 || fail "it is not as it was"
    git -C "$WORKSPACE" fsck --strict >/dev/null 2>&1 || fail "git finds the repository broken"
}
DAMAGE='git checkout -q --orphan new; git -c user.name=x -c user.email=x@x commit -q -a -m new; git branch -D main topic; git tag -d v1
    git reflog expire --expire=now --all; git gc -q --prune=now; rm -rf src; d=$(git rev-parse --git-common-dir); echo junk > "$d/junk"
    echo "*" > "$d/.gitignore"; rm -rf "$d"/refs/* "$d"/packed-refs "$d"/objects/*'

main="$TEST_DIR/main"
git init -q "$main"
cd "$main"
mkdir src
echo one >src/a.c
git add .
git commit -q -m one
git tag v1
git branch topic
head -c 20000000 /dev/urandom >.git/large  # what no ignore rule may leave out
git worktree add -q "$TEST_DIR/linked" topic
git worktree add -q "$TEST_DIR/second" -b second

# --- a linked worktree ---
WORKSPACE="$TEST_DIR/linked" GIT="$main/.git"
cd "$WORKSPACE"
snapshot "$WORKSPACE" "$GIT" >"$TEST_DIR/before"
in_jar_shell "$DAMAGE" >/dev/null 2>&1 || true
[ ! -e "$main/.git/refs/heads/topic" ] || fail "the control: the branch is still there"
[ -e "$main/.git/junk" ] || fail "the control: the jar could not write there"
assert_undone
assert_contains "$(cat "$TEST_DIR/out")" "and $GIT, the repository's own"
in_jar_shell 'echo more >> src/a.c; git -c user.name=x -c user.email=x@x commit -q -a -m more; echo x > untracked' >/dev/null
"$BELLJAR" undo "$JAR" --json >"$TEST_DIR/out"
python3 - "$TEST_DIR/out" "$GIT" <<'CODE'
import json, sys
said = json.load(open(sys.argv[1]))
assert said["done"] is False and said["changes"]["changed"] >= 1 and said["git_directory"]["path"] == sys.argv[2], said
assert said["git_directory"]["changes"]["changed"] >= 1, said
CODE
assert_file untracked
# The workspace alone; then the rest.
undo "$JAR" --yes --workspace-only
assert_no_file untracked
assert_equal "$(git -C "$main" log -1 --format=%s topic)" more
assert_undone
# The undo can be undone, the git directory, too.
last=$("$BELLJAR" undo "$JAR" --list | tail -n 1 | awk '{print $1}')
undo "$JAR" --yes --to "$((last - 1))"
assert_equal "$(git -C "$main" log -1 --format=%s topic)" more
assert_undone --to 1

# --- who else is there ---
(cd "$TEST_DIR/second" && exec "$BELLJAR" run --jar "$JAR-second" -- sh -c 'touch ready; sleep 60') &
running=$!
wait_for 10 test -e "$TEST_DIR/second/ready"
echo changed >untracked
assert_exit 125 undo "$JAR" --yes
assert_contains "$(cat "$TEST_DIR/err")" "jar '$JAR-second' is running on $TEST_DIR/second, which belongs to the same repository"
assert_contains "$(cat "$TEST_DIR/err")" "belljar stop $JAR-second"
assert_file untracked
kill "$running"
wait "$running" || true
rm -f "$TEST_DIR/second/ready"
# Likewise from the repository that holds the git directory, whatever the linked jar's workspace says by now.
(cd "$main" && "$BELLJAR" run --jar "$JAR-main" -- true)
(cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR" -- sh -c 'touch ready; sleep 60') &
running=$!
wait_for 10 test -e ready
assert_exit 125 undo "$JAR-main" --yes
assert_contains "$(cat "$TEST_DIR/err")" "which belongs to the same repository"
kill "$running"
wait "$running" || true
rm -f ready

# --- interrupted in the middle: nobody starts there until it is ended ---
mkdir many
(cd many && seq 4000 | xargs touch)
git add -A
git commit -q -m many
snapshot "$WORKSPACE" "$GIT" >"$TEST_DIR/before"
in_jar_shell 'rm -rf many src; d=$(git rev-parse --git-common-dir); rm -rf "$d"/objects/*' >/dev/null 2>&1
journal="$XDG_STATE_HOME/belljar/jars/$JAR/undo/journal"
"$BELLJAR" undo "$JAR" --yes >/dev/null 2>&1 &
undoing=$!
until [ -e "$journal" ] || ! kill -0 "$undoing" 2>/dev/null; do :; done
kill -9 "$undoing"
wait "$undoing" 2>/dev/null || true
assert_file "$journal"
assert_exit 125 in_jar true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "belljar undo $JAR"
assert_exit 125 env -C "$TEST_DIR/second" "$BELLJAR" run --jar "$JAR-second" -- true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "an undo of jar '$JAR' has begun and is not at its end"
# Nor by whatever name the jar is called meanwhile.
"$BELLJAR" rename "$JAR" "$JAR-renamed" >/dev/null
assert_exit 125 env -C "$TEST_DIR/second" "$BELLJAR" run --jar "$JAR-second" -- true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "an undo of jar '$JAR-renamed' has begun and is not at its end"
"$BELLJAR" rename "$JAR-renamed" "$JAR" >/dev/null
assert_undone
assert_no_file "$journal"
assert_no_file "$XDG_STATE_HOME/belljar/jars/$JAR/undo-claim"
(cd "$TEST_DIR/second" && "$BELLJAR" run --jar "$JAR-second" -- true)

# --- times that git itself changes ---
in_jar true
touch src/a.c
git status >/dev/null
touch -d '@1000000000' "$GIT/HEAD"
touch -r "$GIT/HEAD" src/a.c
git update-index -q --refresh
undo "$JAR" --path src/a.c --yes
undo "$JAR" --yes
assert_contains "$(cat "$TEST_DIR/out")" "is as it was in checkpoint"
git update-index --chmod=+x src/a.c
undo "$JAR" </dev/null && fail "what is staged was changed without a word"
assert_contains "$(cat "$TEST_DIR/out")" "changed    worktrees/linked/index"
git update-index --chmod=-x src/a.c

# --- a submodule ---
git init -q "$TEST_DIR/library"
(cd "$TEST_DIR/library" && mkdir src && echo lib >src/l.c && git add . && git commit -q -m lib)
(cd "$main" && git submodule --quiet add "file://$TEST_DIR/library" module && git commit -q -m module)
WORKSPACE="$main/module" GIT="$main/.git/modules/module" JAR="$JAR-module"
cd "$WORKSPACE"
git tag v1
git branch topic
snapshot "$WORKSPACE" "$GIT" >"$TEST_DIR/before"
in_jar_shell "$DAMAGE" >/dev/null 2>&1 || true
[ -e "$GIT/junk" ] || fail "the control: the jar could not write there"
assert_undone

# --- the record ---
"$BELLJAR" checkpoint "$JAR" >/dev/null
touch new
"$BELLJAR" checkpoint "$JAR" --json >"$TEST_DIR/out"
python3 -c 'import json,sys; c = json.load(open(sys.argv[1])); assert c["made"] and c["checkpoint"] > 1 and c["git_directory"], c' "$TEST_DIR/out"
"$BELLJAR" log "$JAR" --json >"$TEST_DIR/log"
grep -q '"kind":"undo".*to checkpoint 1' "$TEST_DIR/log" || fail "the undo is not on record"
grep -q '"kind":"checkpoint"' "$TEST_DIR/log" || fail "the checkpoint is not on record"

# --- the git directory alone is gone: what stands in the workspace is saved before it is made what it was ---
echo precious >precious
rm -rf "$GIT"
undo "$JAR" --yes
assert_no_file precious
git -C "$WORKSPACE" fsck --strict >/dev/null 2>&1 || fail "the repository did not come back"
last=$("$BELLJAR" undo "$JAR" --list | tail -n 1 | awk '{print $1}')
undo "$JAR" --yes --to "$last" --workspace-only
assert_equal "$(cat precious)" precious

# --- where a .git file leads, a FIFO holds nobody up ---
mkdir "$TEST_DIR/held" "$TEST_DIR/aim"
mkfifo "$TEST_DIR/aim/commondir"
echo "gitdir: $TEST_DIR/aim" >"$TEST_DIR/held/.git"
(cd "$TEST_DIR/held" && timeout 20 "$BELLJAR" run --jar "$JAR-held" -- true) || fail "a FIFO held up a start"
(cd "$TEST_DIR/held" && timeout 20 "$BELLJAR" undo "$JAR-held" --yes >/dev/null) || fail "a FIFO held up an undo"
