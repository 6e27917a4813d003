#!/usr/bin/env bash
# Each of belljar's processes is killed (SIGKILL) at seeded moments of a jar's life, round after round: no jar is lost, nothing gets
# out, nothing is left (processes, mounts, files), the jar starts again, and `belljar ls` tells the truth each time.
#
#   tests/e2e/crash_test.sh [ROUNDS] [SEED]      the same seed kills the same processes at the same moments
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_belljar
need_command python3 curl
ROUNDS=${1:-28}
SEED=${2:-1}
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[[egress.allow]]\nhost = "allowed.test"\n' >"$XDG_CONFIG_HOME/belljar/config.toml"
VICTIMS=(command keeper init proxy scan egress ledger)
STATE="$XDG_STATE_HOME/belljar/jars/$JAR"
git init -q .
git config core.pager cat

state_of() { "$BELLJAR" ls --json | python3 -c 'import json, sys; print({jar["name"]: jar for jar in json.load(sys.stdin)}[sys.argv[1]]["state"])' "$JAR"; }
# What a program in the jar does: a request after another, and a look at what must stay closed.
cat >work.sh <<'CODE'
echo "$1" >> ~/rounds
n=0
while [ ! -e stop ]; do
    n=$((n + 1))
    curl -sS -m 4 "https://allowed.test/round-$1-$n" -o /dev/null 2>/dev/null && touch answered
    curl -sSk -m 1 "https://evil.test/round-$1-$n" -o /dev/null 2>/dev/null
    [ $n -gt 1 ] || touch working
done
CODE
nothing_left() {
    if pgrep -x 'belljar-.*' >/dev/null; then return 1; fi
    ! pgrep -f 'work.sh' >/dev/null
}
mounts() { wc -l </proc/self/mountinfo; }
mounts_before=$(mounts)

in_jar true
for round in $(seq "$ROUNDS"); do
    read -r victim delay < <(python3 -c 'import random, sys; r = random.Random(f"{sys.argv[1]}-{sys.argv[2]}"); v = sys.argv[3:]; print(v[int(sys.argv[2]) % len(v)], round(r.choice([0, 0.003, 0.01, 0.02, 0.05, 0.2, 0.6]) * r.uniform(0.5, 1.5), 4))' "$SEED" "$round" "${VICTIMS[@]}")
    rm -f stop working answered
    "$BELLJAR" run --jar "$JAR" -- bash work.sh "$round" </dev/null >"$TEST_DIR/out" 2>"$TEST_DIR/err" &
    runner=$!
    case $victim in
    command) pids=$runner ;;
    proxy | scan | egress) wait_for 20 test -e working; pids= ;;
    *) pids= ;;
    esac
    sleep "$delay"
    [ -n "$pids" ] || pids=$(pgrep -x "belljar-$victim" || true)
    # shellcheck disable=SC2086
    kill -KILL $pids 2>/dev/null || true
    case $victim in
    proxy | scan | egress | ledger)
        # The program goes on, and its next requests are answered.
        wait_for 20 test -e working
        rm -f answered
        wait_for 30 test -e answered || fail "round $round: no request goes on after $victim was killed"
        assert_equal "$(state_of)" running "round $round, $victim"
        touch stop
        code=0; wait "$runner" || code=$?
        assert_equal "$code" 0 "round $round, $victim"
        ;;
    *)
        # The jar ends with it (for the command's death, as its pipes are dead), and soon; where nothing was there yet to be
        # killed, it goes on until it is told.
        [ -n "$pids" ] || touch stop
        wait "$runner" 2>/dev/null || true
        for _ in {1..150}; do nothing_left && break; sleep 0.1; done
        ;;
    esac
    wait_for 15 nothing_left || { ps axf >&2; fail "round $round: something is left after $victim was killed"; }
    state=$(state_of)
    [ "$state" = stopped ] || [ "$state" = killed ] || fail "round $round: ls says '$state' after $victim was killed at $delay s"
    receiver_silent evil
done

# The jar is whole: its home has what was written, it starts, its workspace is as a person left it.
assert_equal "$(in_jar sh -c 'sort -nu ~/rounds | tail -1 >/dev/null; echo whole')" whole
[ "$(in_jar sh -c 'wc -l < ~/rounds')" -ge $((ROUNDS / 3)) ] || fail "the jar's home has lost what was written"
assert_equal "$(state_of)" stopped
assert_no_file "$STATE/keeper.sock"
assert_equal "$(mounts)" "$mounts_before" "mounts are left"
assert_equal "$(git status --porcelain | grep -v -e work.sh -e working -e answered -e stop || true)" "" "files are left in the workspace"
wait_for 10 sh -c "'$BELLJAR' log --verify | grep -q 'the chain is whole'"
"$BELLJAR" rm "$JAR"
assert_no_file "$STATE"
echo "$ROUNDS rounds of kill -9"
