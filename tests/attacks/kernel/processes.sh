#!/usr/bin/env bash
# K1, K2: the host's processes can't be seen, signalled, traced or read; nor can init, belljar's own process in the jar.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
cat > "$TEST_DIR/bystander.py" <<'CODE'
import signal, sys, time
for number in (1, 2, 3, 10, 12, 15): signal.signal(number, lambda n, f: open(sys.argv[1], "a").write(f"signal {n}\n"))
open(sys.argv[1], "w").close()
while True: time.sleep(1)
CODE
BYSTANDER_SECRET=bystander-canary python3 "$TEST_DIR/bystander.py" "$TEST_DIR/signals" &
bystander=$!
on_exit() { kill -KILL "$bystander" "${JAR_PIDS[@]}" 2>/dev/null || true; }
start_jar 'touch started; exec sleep 60'
wait_for 20 test -e started
other=$JAR_PID
init=$(processes_in_jar "$other" | sed -n 1p)
cat > attack.py <<'CODE'
import ctypes, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, action):
    try: print(name, action())
    except OSError as error: print(name, "refused", error.errno)
for pid in map(int, sys.argv[2:]):
    for number in (signal.SIGUSR1, signal.SIGTERM): attempt(f"signal {pid}", lambda: os.kill(pid, number))
    for path in ("environ", "cmdline", "maps", "status"): attempt(f"{pid} {path}", lambda: open(f"/proc/{pid}/{path}", "rb").read(4096))
class iovec(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
def copy(call, pid, base):
    buffer = ctypes.create_string_buffer(64)
    here, there = iovec(ctypes.addressof(buffer), 64), iovec(base, 64)
    return "COPIED" if call(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0 else "no"
target = int(sys.argv[1])
if target == 1:
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGSEGV, signal.SIGQUIT): attempt("signal init", lambda: os.kill(1, number))
for request, name in ((16, "attach"), (0x4206, "seize")):
    if libc.ptrace(request, target, None, None) == 0: print("TRACED by", name); libc.ptrace(17, target, None, None)
for base in (0x400000, 0x401000, 0x555555554000): print(copy(libc.process_vm_readv, target, base))
for path, flags in (("mem", os.O_RDWR), ("mem", os.O_RDONLY), ("exe", os.O_WRONLY), ("environ", os.O_RDONLY), ("maps", os.O_RDONLY), ("syscall", os.O_RDONLY), ("stack", os.O_RDONLY), ("auxv", os.O_RDONLY)):
    def opened():
        file = os.open(f"/proc/{target}/{path}", flags)
        return "OPENED" if flags != os.O_RDONLY else "READ" if os.read(file, 64) else "empty"
    attempt(path, opened)
for folder in ("fd", "map_files"):
    attempt(folder, lambda: ["LISTED " + os.readlink(f"/proc/{target}/{folder}/{name}") for name in os.listdir(f"/proc/{target}/{folder}")])
attempt("descriptor", lambda: "GOT" if libc.syscall(438, os.pidfd_open(target), 3, 0) >= 0 else "no")
print("PIDS", *[name for name in os.listdir("/proc") if name.isdigit()])
CODE
JAR="$JAR-attacker"
attack python3 attack.py 1 "$bystander" "$other" "$init" $$
kill -0 "$bystander" || fail "a process of the host was killed"
assert_equal "$(cat "$TEST_DIR/signals")" "" "a process of the host was signalled"
kill -0 "$other" && kill -0 "$init" || fail "belljar or another jar's init was killed"
out=$(cat "$TEST_DIR/attack.out")
for word in bystander-canary TRACED COPIED OPENED READ LISTED GOT; do
    if [[ "$out" == *"$word"* ]]; then show_attack; fail "$word"; fi
done
pids=$(sed -n 's/^PIDS //p' <<< "$out")
[ "$(wc -w <<< "$pids")" -ge 2 ] && [ "$(wc -w <<< "$pids")" -le 4 ] || fail "the jar sees more processes than its own: $pids"
# The control: the same program does all that to a process beside it.
python3 attack.py "$bystander" "$bystander" > "$TEST_DIR/control" 2>/dev/null || true
for word in bystander-canary TRACED READ LISTED; do assert_contains "$(cat "$TEST_DIR/control")" "$word" "the attack does nothing"; done
kill -CONT "$bystander" # the attach may have left it stopped
wait_for 30 grep -q "signal 10" "$TEST_DIR/signals"
end_jars
