#!/usr/bin/env bash
# A full disk: a start goes on and says what it could not do, what was saved stays whole, and an undo makes room by what it removes.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command git script
need_belljar
mkdir "$TEST_DIR/small" "$TEST_DIR/small-state"
mount -t tmpfs -o size=16m,mode=755 none "$TEST_DIR/small" 2>/dev/null || skip "no file system can be mounted here"
on_exit() { cd /; umount -l "$TEST_DIR/small" "$TEST_DIR/small-state" 2>/dev/null; }
WORKSPACE="$TEST_DIR/small/project"
mkdir "$WORKSPACE"
cd "$WORKSPACE"
git init -q .
mkdir src
for n in {1..40}; do head -c 100000 /dev/urandom > "src/file$n"; done
snapshot() { find . -printf '%p %y %m %l %T@\n' | sort; find . -type f -exec sha256sum {} + | sort; }
snapshot > "$TEST_DIR/before"
undo() { "$BELLJAR" undo "$JAR" "$@" >"$TEST_DIR/out" 2>"$TEST_DIR/err"; }
fill() { in_jar_shell "rm -rf src; cat /dev/zero > junk; ls -la junk" >/dev/null 2>&1 || true; }

# The workspace's disk is full of what the program wrote: it is saved elsewhere, then goes first.
fill
[ "$(df --output=avail "$WORKSPACE" | tail -n 1)" -lt 1000 ] || fail "the control: the disk is not full"
undo --yes || { cat "$TEST_DIR/err" >&2; fail "no undo on a full disk"; }
snapshot | diff "$TEST_DIR/before" - >&2 || fail "the workspace is not as it was"

# The store's own disk is full.
mount -t tmpfs -o size=14m,mode=700 none "$TEST_DIR/small-state"
export XDG_STATE_HOME="$TEST_DIR/small-state"
JAR=second
in_jar true
store="$XDG_STATE_HOME/belljar/jars/$JAR/undo"
assert_equal "$(ls "$store/refs/checkpoints")" 1
cat /dev/zero > "$XDG_STATE_HOME/ballast" 2>/dev/null || true
truncate -s -1M "$XDG_STATE_HOME/ballast"  # for what a start needs besides
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[jar]\nroot = "readonly"\n' > "$XDG_CONFIG_HOME/belljar/config.toml"
said=$("$BELLJAR" doctor 2>/dev/null || true)
assert_matches "$said" "FAIL  disk: [0-9]+ MiB free"
assert_contains "$said" "du -sh $XDG_STATE_HOME/belljar/jars/* | sort -h   (belljar rm NAME deletes a jar)"
rm "$XDG_CONFIG_HOME/belljar/config.toml"
for n in {1..20}; do head -c 90000 /dev/urandom > "src/file$n"; done
rm -f src/file40
in_jar echo started >"$TEST_DIR/out" 2>"$TEST_DIR/err" || { cat "$TEST_DIR/err" >&2; fail "a full disk keeps a jar from starting"; }
assert_contains "$(cat "$TEST_DIR/out")" started
assert_matches "$(cat "$TEST_DIR/err")" "could not be saved"
# Where nothing can be saved, somebody who is there is asked, and no is what they mean when they say nothing.
answer() { script -qec "'$BELLJAR' run --jar $JAR -- echo it-runs" /dev/null <<<"$1" | tr -d '\r'; }
mv "$store/objects" "$store/objects.away"
touch "$store/objects"
said=$(answer '' || true)
assert_contains "$said" "Start all the same?"
assert_lacks "$said" it-runs
assert_contains "$(answer y)" it-runs
rm "$store/objects"
mv "$store/objects.away" "$store/objects"
git --git-dir="$store" fsck --strict --no-dangling >/dev/null 2>&1 || fail "the store is broken"
"$BELLJAR" undo "$JAR" --list >/dev/null
undo --yes --to 1 --discard || { cat "$TEST_DIR/out" "$TEST_DIR/err" >&2; fail "no undo without saving first"; }
snapshot | diff "$TEST_DIR/before" - >&2 || fail "the workspace is not as it was in the first checkpoint"
rm "$XDG_STATE_HOME/ballast"
in_jar true 2>"$TEST_DIR/err"
assert_lacks "$(cat "$TEST_DIR/err")" "could not be saved"
