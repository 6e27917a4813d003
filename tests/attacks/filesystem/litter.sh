#!/usr/bin/env bash
# F18: nothing is left in the workspace after a jar, whether it ends by itself, is told to, or belljar is killed; and what
# git says of the workspace doesn't change, while the jar runs neither.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
make_repository "$TEST_DIR/project"
WORKSPACE="$TEST_DIR/project"
cd "$WORKSPACE"
mkdir sub
git init -q sub/nested
mkfifo fifo
look() { find . -path ./.git/objects -prune -o -name index -prune -o -printf '%p %y %m %U %s\n' | sort; git status --porcelain; }
before=$(look)
unchanged() { diff <(echo "$before") <(look) >&2 || fail "the workspace changed: $1"; }
attack true
unchanged "after a jar"
attack_shell 'exit 3'
unchanged "after a program that failed"

status=$(git status --porcelain)
running() {
    start_jar 'echo started; exec sleep 60'
    wait_for 20 grep -q started "$TEST_DIR/$JAR.out"
}
running
assert_equal "$(git status --porcelain)" "$status" "git status while a jar runs"
git commit -q --allow-empty -m "By the host meanwhile"
kill -TERM "$JAR_PID"
wait "$JAR_PID" || true
before=$(look)
attack true
unchanged "after SIGTERM"

running
kill -KILL "$JAR_PID"
wait "$JAR_PID" || true
assert_no_process '[s]leep 60'
jar_ended
git status >/dev/null || fail "git doesn't work after belljar was killed"
attack true
unchanged "after SIGKILL and the next start"

# A workspace without a repository.
WORKSPACE="$TEST_DIR/plain"
JAR="$JAR-plain"
mkdir "$WORKSPACE"
cd "$WORKSPACE"
attack true
assert_equal "$(ls -A)" "" "left in an empty folder"
# The control: what the jar makes is there, with the owner's ids.
attack_shell 'echo made > made'
assert_equal "$(stat -c '%u:%g' made)" "$(id -u):$(id -g)" "owner of what the jar made"
