#!/usr/bin/env bash
# K7: the jar types into the user's terminal (TIOCSTI, TIOCLINUX), or gets hold of it. Judged by what can be read from that
# terminal after belljar has ended.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
cat > "$TEST_DIR/on_terminal.py" <<'CODE'
"""on_terminal COMMAND…: runs it with a terminal of its own as controlling terminal; prints what is in its input afterwards."""
import fcntl, os, pty, select, sys, termios, time
leader, follower = pty.openpty()
pid = os.fork()
if pid == 0:
    os.setsid(); fcntl.ioctl(follower, termios.TIOCSCTTY, 0)
    for number in range(3): os.dup2(follower, number)
    os.closerange(3, 64)
    os.execvp(sys.argv[1], sys.argv[1:])
end, ended = time.time() + 20, 0
while time.time() < end and not ended:
    if select.select([leader], [], [], 0.05)[0]: os.read(leader, 65536)
    ended, status = os.waitpid(pid, os.WNOHANG)
settings = termios.tcgetattr(follower)
print("ended", bool(ended), "echo", bool(settings[3] & termios.ECHO), "lines", bool(settings[3] & termios.ICANON))
settings[3] &= ~termios.ICANON
termios.tcsetattr(follower, termios.TCSANOW, settings)
os.set_blocking(follower, False)
try: print("in the terminal:", os.read(follower, 65536))
except BlockingIOError: print("nothing in the terminal")
CODE
cat > inject.py <<'CODE'
import ctypes, glob, os
libc, text = ctypes.CDLL(None), b"touch injected\n"
for name in [0, 1, 2, "/dev/tty", "/dev/console", "/dev/tty0", *glob.glob("/dev/pts/*"), *glob.glob("/proc/[0-9]*/fd/[0-9]*")]:
    try: file = name if isinstance(name, int) else os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError: continue
    if not os.isatty(file): continue
    for request in (0x5412, 0xdead00005412):  # TIOCSTI, and with bits that a filter may not look at
        for byte in text: libc.ioctl(ctypes.c_int(file), ctypes.c_ulong(request), bytes([byte]))
    libc.ioctl(ctypes.c_int(file), ctypes.c_ulong(0x541C), b"\x03" + bytes(16))  # TIOCLINUX: paste
open("tried", "w").close()
CODE
for how in '"$@"' '"$@" < /dev/null' '"$@" 2> /dev/null'; do
    rm -f tried
    result=$(python3 "$TEST_DIR/on_terminal.py" bash -c "$how" bash "$BELLJAR" run --jar "$JAR" -- python3 inject.py)
    assert_file tried
    assert_contains "$result" "nothing in the terminal" "with $how"
    assert_contains "$result" "ended True echo True lines True" "the terminal is left as it was"
done
control=$(python3 "$TEST_DIR/on_terminal.py" python3 inject.py)
case $control in *"touch injected"*) ;; *) [ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null || echo 1)" = 0 ] || fail "the attack does nothing without a jar either: $control" ;; esac
