#!/usr/bin/env bash
# I7 after a crash: belljar is killed before it could look at what the jar left (the jar eats the memory, the power goes). The next
# run names it, once.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
mkdir -p stock
printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch %s; false"\n' "$CANARY" > stock/config
sleep 0.1
start_jar 'git init -q nested; git -C nested config core.fsmonitor "touch '"$CANARY"'; false"
    mkdir old; mv stock old/.git; mkdir old/.git/objects old/.git/refs; echo ref: refs/heads/main > old/.git/HEAD
    echo planted; exec sleep 60'
wait_for 20 grep -q planted "$TEST_DIR/$JAR.out"
kill -KILL "$JAR_PID"
wait "$JAR_PID" || true
assert_no_process '[s]leep 60'
jar_ended
(cd nested && timeout 10 git status >/dev/null 2>&1) || true
assert_file "$CANARY"  # the control: this is worth naming

attack true
for place in nested/.git/config old/.git/config; do
    assert_contains "$(cat "$TEST_DIR/attack.err")" "$place" "belljar doesn't name what was planted before it was killed ($place)"
done
attack true
assert_lacks "$(cat "$TEST_DIR/attack.err")" nested
