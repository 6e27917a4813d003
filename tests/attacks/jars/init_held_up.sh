#!/usr/bin/env bash
# A jar holds up its own init, which makes changes of mode for it: attached terminals go on, further programs are answered when init
# is back (or not, but then nobody else waits), and `belljar stop` ends the jar in its time.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_command tmux python3
on_exit() { kill -CONT "${init:-0}" 2>/dev/null || true; screen_end; }
cat >keys.py <<'CODE'
import os, tty
tty.setraw(0)
open("up", "w").close()
while data := os.read(0, 1000):
    for key in data: os.write(1, b"key: %02x\r\n" % key)
CODE
# What a jar can do by itself: whoever writes a lot to a file keeps changes of its mode waiting, for up to seconds.
cat >hold_up.py <<'CODE'
import mmap, os, threading
big = mmap.mmap(-1, 128 << 20)
file = os.open("big", os.O_RDWR | os.O_CREAT, 0o600)
def write():
    while True: os.pwrite(file, big, 0)
def change():
    while True:
        os.chmod("big", 0o640)
        open("changed", "w").close()
for body in (write,) * 4 + (change,) * 2: threading.Thread(target=body).start()
CODE
screen_start "$BELLJAR" run --jar "$JAR" -- python3 keys.py
wait_for 10 test -e up
screen send-keys a
screen_wait 'key: 61'

# --- init does nothing at all for a while (stopped from outside, as a file that is never answered for would)
init=$(pgrep -x belljar-init)
kill -STOP "$init"
"$BELLJAR" exec "$JAR" -- sh -c 'echo later > later' </dev/null 2>/dev/null & waiting=$!
"$BELLJAR" exec "$JAR" -- sh -c 'sleep 1; echo gone > gone' </dev/null 2>/dev/null & gone=$!
sleep 0.5
kill -KILL "$gone"
screen send-keys b
assert_within 2 screen_wait 'key: 62' 2
SCREEN_SOCKET=$TEST_DIR/second
screen_start "$BELLJAR" attach "$JAR"
assert_within 3 screen_wait 'key: 62' 3
# More sizes than init's socket has room for; the last one counts.
python3 - "$BELLJAR" "$JAR" <<'CODE'
import fcntl, os, pty, signal, struct, sys, termios, time
child, master = pty.fork()
if child == 0: os.execv(sys.argv[1], [sys.argv[1], "attach", sys.argv[2]])
time.sleep(0.5)
for n in range(1000):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 20 + n % 7, 60 + n % 11, 0, 0)); time.sleep(0.001)
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0)); time.sleep(0.5)
os.kill(child, signal.SIGKILL)
CODE
screen send-keys c
assert_within 2 screen_wait 'key: 63' 2
assert_within 2 "$BELLJAR" ls >/dev/null
assert_no_file later
kill -CONT "$init"
wait "$waiting" || fail "a program that init was asked for before it was held up did not run"
assert_file later
sleep 2
assert_no_file gone # nobody waits for that one any more
assert_equal "$("$BELLJAR" exec "$JAR" -- sh -c 'stty size < /proc/$(pgrep -xf "python3 keys.py")/fd/0')" "40 110" # who typed last is looked at
# And held up for good: the jar ends all the same.
kill -STOP "$init"
assert_within 5 "$BELLJAR" stop --grace 1 "$JAR"
screen_wait 'exit: '
screen_end

# --- held up by what a jar can do itself
"$BELLJAR" run --jar "$JAR" --detach -- python3 hold_up.py 2>/dev/null
wait_for 20 test -e changed
for try in 1 2 3; do
    "$BELLJAR" exec "$JAR" -- true </dev/null & waiting=$!
    sleep 0.2
    assert_within 2 "$BELLJAR" logs "$JAR" >/dev/null
    wait "$waiting" || fail "init does not come back"
done
assert_within 15 "$BELLJAR" stop --grace 1 "$JAR"
assert_no_process 'belljar-(keeper|init)'
echo "a jar that holds up its init holds up nobody else"
