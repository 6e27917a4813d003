#!/usr/bin/env bash
# A jar that runs: further programs in it, its end by command, and its terminal seen from several others.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_belljar
need_command tmux python3
on_exit() { screen_end; }
start() { (cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR" -- bash -c "$1") </dev/null >"$TEST_DIR/out" 2>"$TEST_DIR/err" & RUNNER=$!; }

# --- exec: as `run`, in the jar that runs
assert_exit 125 "$BELLJAR" exec no-such-jar -- true 2>/dev/null
start 'echo $$ > main-pid; touch ready; exec sleep 100'
wait_for 10 test -e ready
assert_equal "$("$BELLJAR" exec "$JAR" -- sh -c 'pwd; echo $BELLJAR; cat main-pid; cat /proc/$(cat main-pid)/cmdline | tr "\0" " "')" "$WORKSPACE
$JAR
$(cat main-pid)
sleep 100 "
assert_exit 7 "$BELLJAR" exec "$JAR" sh -c 'exit 7'
assert_exit 127 "$BELLJAR" exec "$JAR" no-such-command-anywhere 2>/dev/null
assert_exit 143 "$BELLJAR" exec "$JAR" -- sh -c 'kill -TERM $$; sleep 5'
head -c 1000000 /dev/urandom >random
"$BELLJAR" exec "$JAR" -- cat <random >copied
assert_same_file random copied
assert_equal "$("$BELLJAR" exec -e SET=here "$JAR" -- sh -c 'echo $SET; echo lost >&2' 2>/dev/null)" here
assert_equal "$(mkdir -p below && cd below && "$BELLJAR" exec "$JAR" pwd)" "$WORKSPACE/below"
# What it leaves in the background holds nobody up.
assert_within 5 "$BELLJAR" exec "$JAR" -- sh -c 'sleep 50 & echo begun'
# A signal reaches it; when its command is killed, it is hung up on.
"$BELLJAR" exec "$JAR" -- bash -c 'trap "echo caught; exit 9" TERM; touch trapped; while :; do sleep 0.1; done' >signalled &
further=$!
wait_for 10 test -e trapped
kill -TERM "$further"
code=0; wait "$further" || code=$?
assert_equal "$code $(cat signalled)" "9 caught"
"$BELLJAR" exec "$JAR" -- sleep 4567 & further=$!
wait_for 10 pgrep -fx 'sleep 4567'
kill -KILL "$further"
wait "$further" 2>/dev/null || true
assert_no_process '^sleep 4567'
kill -0 "$RUNNER" || fail "the jar ended with a further program"

# A program without a terminal has nothing to attach to; no terminal can't show one.
assert_exit 125 "$BELLJAR" attach "$JAR" </dev/null 2>"$TEST_DIR/message"
assert_contains "$(cat "$TEST_DIR/message")" "try: belljar exec $JAR"

# --- stop
assert_equal "$("$BELLJAR" stop "$JAR")" "stopped jar $JAR"
code=0; wait "$RUNNER" || code=$?
assert_equal "$code" 143
assert_equal "$("$BELLJAR" stop "$JAR")" "jar $JAR is not running"
assert_exit 125 "$BELLJAR" exec "$JAR" -- true 2>"$TEST_DIR/message"
assert_contains "$(cat "$TEST_DIR/message")" "try: belljar run --jar $JAR"
rm -f ready
start 'trap "" TERM HUP; touch ready; while :; do sleep 1; done'
wait_for 10 test -e ready
assert_within 8 "$BELLJAR" stop --grace 1 "$JAR"
code=0; wait "$RUNNER" || code=$?
assert_equal "$code" 143
assert_no_process 'belljar-(keeper|init|proxy|scan|egress)'

# --- a terminal that outlives what it was started in
cat >keys.py <<'CODE'
import os, select, signal, sys, tty
def say(text): os.write(1, (text + "\r\n").encode())
def size(*_): say("size: %d %d" % tuple(reversed(os.get_terminal_size())))
signal.signal(signal.SIGWINCH, size)
tty.setraw(0)
size()
open("up", "w").close()
while data := os.read(0, 1000):
    for key in data: say("key: %02x" % key)
CODE
screen_start "$BELLJAR" run --jar "$JAR" -- python3 keys.py
wait_for 10 test -e up
screen_wait 'size: 40 110'
screen send-keys x
screen_wait 'key: 78'
# Ctrl-\ alone goes to the program with the next key.
screen send-keys -H 1c 79
screen_wait 'key: 1c'
screen_wait 'key: 79'
screen send-keys -H 1c 64
screen_wait "jar '$JAR' goes on"
screen_wait 'exit: 0'
screen_end
assert_contains "$("$BELLJAR" ls)" running

# Seen again from elsewhere: what it showed, its size now that of the new terminal; keys reach it.
second() { tmux -S "$TEST_DIR/second" -f /dev/null "$@"; }
second_wait() { wait_for 20 sh -c "tmux -S '$TEST_DIR/second' -f /dev/null capture-pane -p | grep -qE -- '$1'" || { second capture-pane -p >&2; fail "the second screen does not show $1"; }; }
on_exit() { screen_end; second kill-server 2>/dev/null || true; }
second new-session -d -x 90 -y 30 "$BELLJAR attach $JAR; echo exit: \$?; sleep 1000"
second_wait 'key: 79'
second_wait 'size: 30 90'
# Two at once: both see it, the latest who typed decides the size.
SCREEN_SOCKET=$TEST_DIR/third
screen_start "$BELLJAR" attach "$JAR"
screen_wait 'size: 40 110'
screen send-keys a
screen_wait 'key: 61'
second_wait 'key: 61'
second send-keys b
second_wait 'key: 62'
screen_wait 'size: 30 90'
# One that only looks types nothing and changes no size.
screen send-keys -H 1c 64
screen_wait 'exit: 0'
screen_end
SCREEN_SOCKET=$TEST_DIR/fourth
screen_start "$BELLJAR" attach --read-only "$JAR"
screen_wait 'key: 62'
screen send-keys q
second send-keys c
screen_wait 'key: 63'
if screen_text | grep -q 'key: 71'; then fail "a reader typed"; fi
# One that takes over detaches all others.
SCREEN_SOCKET=$TEST_DIR/fifth
screen_start "$BELLJAR" attach --take-over "$JAR"
screen_wait 'size: 40 110'
second_wait 'detached: taken over'
SCREEN_SOCKET=$TEST_DIR/fourth
screen_wait 'detached: taken over'
screen_end
SCREEN_SOCKET=$TEST_DIR/fifth
# Its end is seen by who is there.
"$BELLJAR" stop "$JAR"
screen_wait 'exit: '
screen_end

# kill -9 of the command that started it leaves a terminal's program alone.
rm -f up
SCREEN_SOCKET=$TEST_DIR/sixth
screen_start "$BELLJAR" run --jar "$JAR" -- python3 keys.py
wait_for 10 test -e up
kill -KILL "$(pgrep -f "^$BELLJAR run --jar $JAR")"
screen_wait 'exit: 137'
screen_end
assert_contains "$("$BELLJAR" ls)" running
"$BELLJAR" stop
assert_no_process 'belljar-(keeper|init|proxy|scan|egress)'
echo "a jar lives as it is told"
