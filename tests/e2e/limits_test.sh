#!/usr/bin/env bash
# Limits that end or hold a jar, and that it says so: wall time, memory, disk; sizes that no jar starts with; a pause by the kernel's
# freezer; what a jar left with nobody there is told to who comes next.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_belljar
need_command python3 tmux
JAR="limits-$(id -u)-$(date +%s%N)" # control groups are the whole host's
on_exit() { screen_end; }
listed() { "$BELLJAR" ls --json 2>/dev/null | python3 -c 'import json, sys; jar = {jar["name"]: jar for jar in json.load(sys.stdin)}[sys.argv[1]]; print(eval(sys.argv[2]))' "$JAR" "$1"; }
limit_of() { listed "next((str(limit['enforced']) + ' ' + limit['asked'] + ' ' + limit['how'] for limit in jar['limits'] if limit['name'] == '$1'), 'none')"; }

# --- what is too small says so before anything starts
assert_exit 125 "$BELLJAR" run --jar "$JAR" --memory 1K -- true 2>"$TEST_DIR/message"
assert_contains "$(cat "$TEST_DIR/message")" "too small"
assert_exit 125 "$BELLJAR" run --jar "$JAR" --wall soon -- true 2>/dev/null
assert_exit 125 "$BELLJAR" run --jar "$JAR" --disk 10 -- true 2>/dev/null
"$BELLJAR" run --jar "$JAR" --memory 16M -- true # the least is enough to start with

# --- wall time: the program is asked, and the reason is told to who is there …
assert_within 12 "$BELLJAR" run --jar "$JAR" --wall 1s -- sleep 100 2>"$TEST_DIR/message"
assert_contains "$(cat "$TEST_DIR/message")" "run for 1s, its limit of wall time"
# … on a terminal, too …
screen_start "$BELLJAR" run --jar "$JAR" --wall 2s -- sh -c 'echo up; exec sleep 100'
screen_wait up
screen_wait 'limit of wall time'
screen_wait 'exit: '
screen_end
# … and where nobody is, to who comes next: by ls and by attach, until the next start. So are files that tools of the host run.
"$BELLJAR" run --jar "$JAR" --wall 2s --detach -- sh -c 'mkdir -p .vscode; echo "{}" > .vscode/tasks.json; exec sleep 100' 2>/dev/null
assert_equal "$(limit_of wall)" "True 2s the keeper, which ends the jar"
assert_contains "$("$BELLJAR" policy show --origin --jar "$JAR" | grep '^limit wall')" "the running jar: held by the keeper, which ends the jar"
stopped() { [ "$(listed 'jar["state"]')" = stopped ]; }
wait_for 20 stopped
assert_contains "$("$BELLJAR" ls 2>&1 >/dev/null)" "$JAR: the jar was ended because it had run for 2s"
assert_contains "$("$BELLJAR" ls 2>&1 >/dev/null)" "$JAR: left a file that tools on this host would run"
assert_contains "$(listed 'jar["last_end"]')" ".vscode/tasks.json"
assert_exit 125 "$BELLJAR" attach "$JAR" 2>"$TEST_DIR/message" </dev/null
assert_contains "$(cat "$TEST_DIR/message")" ".vscode/tasks.json: "
assert_contains "$(cat "$TEST_DIR/message")" "limit of wall time"
rm -r .vscode
in_jar true 2>/dev/null
assert_equal "$("$BELLJAR" ls 2>&1 >/dev/null)" ""

# --- memory: where a control group counts it, a jar that ran out of it says so
# Several, as each alone is kept below the limit anyway.
CODE='import os, time
children = []
for n in range(4):
    child = os.fork()
    if child == 0:
        x = b"x" * (30 << 20)
        time.sleep(2)
        os._exit(0)
    children.append(child)
for child in children: os.waitpid(child, 0)'
"$BELLJAR" run --jar "$JAR" --memory 64M -- sleep 2 & runner=$!
limits() { limit_of memory 2>/dev/null; }
wait_for 5 limits
held=$(limits)
wait "$runner"
case $held in
"True 67108864 bytes"*)
    code=0; "$BELLJAR" run --jar "$JAR" --memory 64M -- python3 -c "$CODE" >"$TEST_DIR/out" 2>"$TEST_DIR/message" || code=$?
    assert_contains "$(cat "$TEST_DIR/message")" "ran out of memory: the kernel ended " && grep -q "of its processes for the limit of 64M" "$TEST_DIR/message" ;;
"False 67108864 bytes"*) echo "memory is not held for the whole jar here: $held" ;;
*) fail "no word about the limit of memory: $held" ;;
esac

# --- pause: nothing moves; as root (or where control groups are delegated) by the freezer, which not even SIGCONT undoes
"$BELLJAR" run --jar "$JAR" --detach -- bash -c 'while :; do date +%N > tick; sleep 0.02; done' 2>/dev/null
wait_for 10 test -e tick
"$BELLJAR" pause "$JAR"
before=$(cat tick); sleep 0.3
assert_equal "$(cat tick)" "$before" "a paused program works"
if "$BELLJAR" log "$JAR" | grep -q 'paused$'; then
    pkill -CONT -f 'tick; sleep' || true # the test's own world
    sleep 0.3
    assert_equal "$(cat tick)" "$before" "a frozen program works"
fi
"$BELLJAR" resume "$JAR"
wait_for 5 sh -c "[ \"\$(cat tick)\" != '$before' ]"
"$BELLJAR" pause "$JAR"
assert_within 5 "$BELLJAR" stop "$JAR"
# The keeper's death is the end of a jar that is held still.
"$BELLJAR" run --jar "$JAR" --detach -- bash -c 'while :; do date +%N > tick; sleep 0.02; done' 2>/dev/null
"$BELLJAR" pause "$JAR"
kill -KILL "$(pgrep -ox belljar-keeper)"
assert_no_process 'belljar-(keeper|init)|tick; sleep'
in_jar true 2>/dev/null
assert_equal "$(ls -d /sys/fs/cgroup/unified/belljar/"$JAR"-* 2>/dev/null || true)" ""

# --- disk: what a jar adds, wherever it hides it, pauses it; the workspace counts by how much it has grown
head -c 30M /dev/zero > large-before
"$BELLJAR" run --jar "$JAR" --disk 20M --detach -- bash -c 'mkdir -p ~/hidden && head -c 12M /dev/urandom > ~/hidden/one && chmod 0 ~/hidden; touch some
    read -t 3 line; head -c 12M /dev/urandom > two; touch all; while :; do date +%N > tick; sleep 0.02; done' 2>/dev/null
wait_for 10 test -e all
paused() { [ "$(listed 'jar["state"]')" = paused ]; }
wait_for 90 paused
assert_contains "$(listed 'jar["why"]')" "to the disk, and its limit is 20M"
assert_contains "$(limit_of disk)" "False 20M no kernel holds it"
before=$(cat tick); sleep 0.3
assert_equal "$(cat tick)" "$before"
"$BELLJAR" resume "$JAR"
wait_for 5 sh -c "[ \"\$(cat tick)\" != '$before' ]"
"$BELLJAR" stop "$JAR"
assert_no_process 'belljar-(keeper|init)'
# A file without a name takes room for as long as it is open.
"$BELLJAR" run --jar "$JAR" --disk 20M --detach -- python3 -c 'import os, time
with open("nameless", "wb") as file:
    os.unlink("nameless")
    file.write(bytes(25 << 20))
    file.flush()
    time.sleep(100)' 2>/dev/null
wait_for 90 paused
assert_contains "$(listed 'jar["why"]')" "to the disk, and its limit is 20M"
"$BELLJAR" stop "$JAR"
rm -f all
# What can't be measured is not open: it is said, tried again, and then the jar is paused.
cat > unmeasured.py <<'CODE'
import os, resource, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
file = os.open("/dev/null", os.O_RDONLY)
count = min(15000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
for _ in range(count): os.dup(file)
for _ in range(300000 // count):
    if os.fork() == 0: time.sleep(100)
open("all", "w").close()
time.sleep(100)
CODE
"$BELLJAR" run --jar "$JAR" --disk 20M -- python3 unmeasured.py 2>"$TEST_DIR/message" & runner=$!
wait_for 20 test -e all
head -c 30M /dev/zero > "$XDG_STATE_HOME/somebody-elses" # asks for a look at once
wait_for 90 paused
assert_contains "$(listed 'jar["why"]')" "what it adds to the disk can't be measured, and its limit is 20M"
assert_contains "$(cat "$TEST_DIR/message")" "could not be measured, which is tried again"
logged() { "$BELLJAR" log "$JAR" | grep -qF "paused because what it adds to the disk can't be measured"; }
wait_for 10 logged
"$BELLJAR" stop "$JAR"
wait "$runner" || true
gone() { ! pgrep -f 'belljar-(keeper|init)'; }
wait_for 20 gone
echo "limits are held, or it is said that they are not"
