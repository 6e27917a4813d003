#!/usr/bin/env bash
# K9: nothing of a jar outlives it: after the program's end, after SIGTERM, SIGINT, SIGHUP and SIGQUIT to belljar, and after belljar
# or init is killed; daemons, double forks and processes that ignore signals included.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
mark=$((70000000 + $$))  # a number of seconds that only this test sleeps
cat > stay.sh <<CODE
(setsid nohup sleep $mark >/dev/null 2>&1 &)
sh -c 'trap "" TERM INT HUP QUIT; sleep $mark & sleep $mark' &
python3 -c "
import os, signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execvp('sleep', ['sleep', '$mark'])
" &
(while true; do sleep $mark & wait; done) &
curl -sS -m 5 https://allowed.test/ >/dev/null
sleep 0.2
CODE
left() { pgrep -fx "sleep $mark" || true; }
gone() {
    local try
    for try in {1..40}; do
        if [ -z "$(left)" ] && ! pgrep -x 'belljar-.*' >/dev/null; then return 0; fi
        sleep 0.1
    done
    ps axf >&2
    fail "processes are left: $1"
}
attack_shell ". ./stay.sh; exit 0"
gone "the program ended"
for signal in TERM INT HUP QUIT KILL; do
    rm -f started
    start_jar ". ./stay.sh; touch started; exec sleep $mark"
    wait_for 20 test -e started
    [ "$(left | wc -l)" -ge 5 ] || fail "the processes are not there, so nothing is tested"  # the control
    kill -$signal "$JAR_PID"
    wait "$JAR_PID" || true
    gone "SIG$signal to belljar"
done
rm -f started
start_jar ". ./stay.sh; touch started; exec sleep $mark"
wait_for 20 test -e started
kill -KILL "$(pgrep -x belljar-init)"
for _ in {1..50}; do kill -0 "$JAR_PID" 2>/dev/null || break; sleep 0.1; done
if kill -0 "$JAR_PID" 2>/dev/null; then fail "belljar hangs after its init was killed"; fi
if wait "$JAR_PID"; then fail "belljar says that all is well after its init was killed"; fi
gone "SIGKILL to init"
attack true  # the jar can be started again
