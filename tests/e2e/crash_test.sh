#!/usr/bin/env bash
# Each of belljar's processes is killed (SIGKILL) at seeded moments of a jar's start, work and end, round after round
# (crash_rounds.py): no jar is lost, nothing gets out, nothing is left (processes, mounts, files, control groups), the jar starts
# again, a running program's requests go on where only the gateway or the ledger died, and `belljar ls` tells the truth each time.
#
#   BELLJAR_CRASH_ROUNDS=200 BELLJAR_CRASH_SEED=7 tests/e2e/crash_test.sh     the same seed kills the same processes at the same moments
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_belljar
need_command python3 curl
ROUNDS=${BELLJAR_CRASH_ROUNDS:-28}
SEED=${BELLJAR_CRASH_SEED:-1}
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[[egress.allow]]\nhost = "allowed.test"\n' >"$XDG_CONFIG_HOME/belljar/config.toml"
JAR="crash-$(id -u)-$(date +%s%N)" # control groups are the whole host's
git init -q .
git config core.pager cat

python3 "$PROJECT/tests/e2e/crash_rounds.py" "$BELLJAR" "$JAR" "$ROUNDS" "$SEED"

wait_for 10 sh -c "'$BELLJAR' log --verify | grep -q 'the chain is whole'"
"$BELLJAR" rm "$JAR"
assert_equal "$(ls -A "$XDG_STATE_HOME/belljar/jars")" "" "something of a jar is left"
assert_equal "$(git status --porcelain)" "" "files are left in the workspace"
receiver_silent evil
