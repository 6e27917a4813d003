#!/usr/bin/env bash
# F16: a fork bomb, memory and temporary space end at the jar's limits, and the host goes on. Kept small: the limits are.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[limits]\npids = 64\nmemory = "256M"\n' >> "$XDG_CONFIG_HOME/belljar/config.toml"
mark=$((71000000 + $$))
start_jar "python3 -c 'import os, time
for number in range(200):
    try:
        if os.fork() == 0: os.execvp(\"sleep\", [\"sleep\", \"$mark\"])
    except OSError: pass
open(\"forked\", \"w\")
time.sleep(30)'"
for _ in {1..50}; do
    if [ -e forked ] || ! kill -0 "$JAR_PID" 2>/dev/null; then break; fi
    sleep 0.1
done
count=$(pgrep -fxc "sleep $mark" || true)
# Without control groups the limit counts all that this user runs, other tests' too: few may be left.
[ "$count" -gt 2 ] || { cat "$TEST_DIR/$JAR.err" >&2; fail "only $count processes: nothing was tried"; }
[ "$count" -le 64 ] || fail "$count processes in a jar that may have 64"
end_jars
assert_no_process "^sleep $mark"

attack python3 -c '
blocks = []
try:
    for i in range(64):
        blocks.append(b"x" * (16 << 20))
        open("reached", "w").write(str(16 * (i + 1)))
except MemoryError: pass'
[ "$(cat reached)" -lt 300 ] || fail "a jar of 256 MiB got $(cat reached) MiB"
[ "$(cat reached)" -gt 16 ] || fail "only $(cat reached) MiB: nothing was tried"

# Temporary space is the jar's own and bounded: asked of the file systems, as filling them would be felt here.
attack_shell 'for place in /tmp /dev/shm /run /dev / /var/tmp /home; do stat -f -c "$place %T %b %S" $place 2>/dev/null; touch $place/belljar-filler; done'
memory=$(($(sed -n "s/^MemTotal: *\([0-9]*\) kB/\1/p" /proc/meminfo) * 1024))
while read -r place type blocks size; do
    if [ "$type" = tmpfs ]; then
        [ "$blocks" -gt 0 ] && [ $((blocks * size)) -le "$memory" ] || fail "$place may take $((blocks * size)) bytes of memory"
    fi
done < "$TEST_DIR/attack.out"
grep -q '^/tmp ' "$TEST_DIR/attack.out" || fail "nothing was asked"
for place in /tmp /dev/shm /run /dev / /var/tmp /home; do assert_no_file "${place%/}/belljar-filler"; done
