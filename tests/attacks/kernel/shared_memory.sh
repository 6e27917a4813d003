#!/usr/bin/env bash
# K8: shared memory, System V and POSIX IPC of the host are not the jar's, and the other way round.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
name="belljar-attack-${TEST_DIR##*-}"
echo precious > "/dev/shm/$name"
chmod 666 "/dev/shm/$name"
queue=$(ipcmk -p 0666 -Q | grep -o '[0-9]*$') memory=$(ipcmk -p 0666 -M 4096 | grep -o '[0-9]*$') semaphore=$(ipcmk -p 0666 -S 1 | grep -o '[0-9]*$')
on_exit() { rm -f "/dev/shm/$name" "/dev/shm/$name-jar"; ipcrm -q "$queue" -m "$memory" -s "$semaphore" 2>/dev/null || true; }
key=$(awk -v id="$memory" '$2 == id {print $1}' /proc/sysvipc/shm)
cat > look.py <<'CODE'
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_ssize_t
print("shmget", libc.shmget(ctypes.c_int(int(sys.argv[1])), 0, 0o600))
print("ATTACHED" if libc.shmat(int(sys.argv[2]), None, 0) != -1 else "no")
for file in ("msg", "shm", "sem"): print(file, len(open(f"/proc/sysvipc/{file}").readlines()) - 1)
CODE
attack_shell "cat /dev/shm/$name; echo planted > /dev/shm/$name; touch /dev/shm/$name-jar; python3 look.py $key $memory; ipcrm -q $queue; ipcrm -m $memory; ipcrm -s $semaphore"
assert_lacks "$(cat "$TEST_DIR/attack.out")" precious
assert_lacks "$(cat "$TEST_DIR/attack.out")" ATTACHED
assert_contains "$(cat "$TEST_DIR/attack.out")" 'shm 0' "the host's shared memory is listed"
assert_equal "$(cat "/dev/shm/$name")" precious
assert_no_file "/dev/shm/$name-jar"
for pair in "msg $queue" "shm $memory" "sem $semaphore"; do
    awk -v id="${pair#* }" '$2 == id {found = 1} END {exit !found}' "/proc/sysvipc/${pair% *}" || fail "the jar removed the host's $pair"
done
assert_contains "$(python3 look.py "$key" "$memory")" "shmget $memory"  # the control
