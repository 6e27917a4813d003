#!/usr/bin/env bash
# A program that crashes in the jar: its memory is not written into the workspace, and the host's handler of core dumps, which runs
# as root with what the jar chose (CVE-2025-4598 and its kind), isn't started. That handler isn't bound by a limit of 0 (core(5)); 1 is the kernel's mark for what must never be dumped.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
start_jar 'ulimit -c 0; ulimit -c unlimited; ulimit -Hc > hard; sleep 60 & sh -c "kill -SEGV \$\$"; python3 -c "import ctypes; ctypes.string_at(0)"; touch crashed; wait'
wait_for 20 test -e crashed
assert_equal "$(find . -name '*core*' -o -name 'vgcore*')" "" "a core file in the workspace"
for pid in $(processes_in_jar "$JAR_PID"); do
    limit=$(awk '/^Max core file size/ {print $6}' "/proc/$pid/limits" 2>/dev/null) || continue
    [ "$limit" = 1 ] || [ "$(ulimit -Hc)" = 0 ] || fail "process $pid of the jar may dump core: $limit"
done
# The control: this very way of asking does see a limit where there is one.
assert_contains "$(cat /proc/self/limits)" "Max core file size"
end_jars
