#!/usr/bin/env bash
# What belljar puts into the jar: init's program, its socket to the outside and the jar's own files can't be opened for writing
# or used to reach out (runc CVE-2019-5736, CVE-2024-21626 and their kind). Only opened, never written.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
cat > overwrite.py <<'CODE'
import glob, os, socket, struct, threading, time
end = time.time() + 1
report, lock = open("report", "w", buffering=1), threading.Lock()
def attempt(path):
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND):
        try: file = os.open(path, flags)
        except OSError: continue
        status = os.fstat(file)
        with lock: report.write(f"OPENED {path} {os.readlink(f'/proc/self/fd/{file}')} {status.st_dev}:{status.st_ino}.\n")
        os.close(file)
def watch():  # a program that is being started passes through /proc for a moment
    while time.time() < end:
        for exe in glob.glob("/proc/[0-9]*/exe"):
            try: target = os.readlink(exe)
            except OSError: continue
            if "belljar" in target: attempt(exe)
threads = [threading.Thread(target=watch) for _ in range(2)]
for thread in threads: thread.start()
for pattern in ("/proc/1/exe", "/proc/1/map_files/*", "/proc/1/fd/*", "/proc/self/exe", "/sbin/init", "/init", "/belljar*", "/run/belljar*", "/usr/bin/env"):
    for path in glob.glob(pattern): attempt(path)
for number in range(3, 64):  # init's socket is descriptor 3 of init
    try:
        stream = socket.socket(fileno=os.dup(number))
        if stream.family == socket.AF_UNIX: report.write(f"SOCKET {number}\n")
    except OSError: pass
for line in open("/proc/1/cmdline").read().split("\0"): report.write(f"INIT {line}\n")
for thread in threads: thread.join()
CODE
(sleep 0.3; for _ in 1 2 3; do "$BELLJAR" run --jar "$JAR-beside" -- true </dev/null >/dev/null 2>&1 || true; done) &
attack python3 overwrite.py
wait
assert_contains "$(cat report)" INIT
assert_lacks "$(cat report)" "OPENED /proc/1" "init's program can be opened for writing"
assert_lacks "$(cat report)" SOCKET "init's socket is open in a program of the jar"
if grep -q '^OPENED .*belljar' report; then cat report >&2; fail "a program of belljar's can be opened for writing"; fi
# A jar's own system is written to, but no file of it is the host's.
for path in /sbin/init /usr/bin/env; do
    assert_lacks "$(cat report)" " $(stat -L -c %d:%i "$path" 2>/dev/null || echo none)." "the host's $path can be opened for writing"
done
if [ "$ROOT_KIND" = readonly ]; then
    assert_lacks "$(cat report)" "OPENED /usr/bin/env"
else
    attack_shell 'exec 3>>/usr/bin/env && echo WRITES >> report'
    assert_contains "$(cat report)" WRITES "the control: the jar's own system is writable"
fi

# A working directory that leads out by /proc/self/fd (Leaky Vessels).
echo precious > "$TEST_DIR/outside"
chmod -R a+rX "$TEST_DIR"
for place in /proc/self/fd/{3,4,5,6,7,8,9,10} /proc/1/cwd /proc/1/root /proc/self/cwd/../../..; do
    attack_shell "cd $place 2>/dev/null; cat ../outside ../../outside ../../../outside ../../../../../..$TEST_DIR/outside .$TEST_DIR/outside"
    assert_lacks "$(cat "$TEST_DIR/attack.out")" precious "by $place"
done
