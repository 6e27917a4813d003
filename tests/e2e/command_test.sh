#!/usr/bin/env bash
# `belljar run`: exit codes, signals, pipes, environment and files behave as without belljar, and nothing is left behind.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_belljar

# Exit codes pass through; 126 and 127 mean what they mean elsewhere.
assert_exit 0 in_jar true
assert_exit 7 in_jar bash -c 'exit 7'
assert_exit 127 in_jar no-such-command-anywhere
: > not-executable
assert_exit 126 in_jar ./not-executable
assert_exit 143 in_jar bash -c 'kill -TERM $$; sleep 5'

# Pipes: standard input, output and error stay apart, byte for byte.
head -c 3000000 /dev/urandom > random
in_jar cat < random > copied 2> errors
assert_same_file random copied
assert_equal "$(wc -c < errors)" 0
in_jar bash -c 'echo to-output; echo to-error >&2' > output 2> errors
assert_equal "$(cat output)" to-output
assert_equal "$(cat errors)" to-error
assert_equal "$(echo words | in_jar cat | tr a-z A-Z)" WORDS
in_jar yes 2>/dev/null | head -1 > first || true # the reader goes away first
assert_equal "$(cat first)" y
assert_no_process '^yes$'

# A standard stream that is closed is not taken for the next file that belljar opens.
code=0; in_jar bash -c 'cat; echo lost; echo lost >&2; exit 3' <&- >&- 2>&- || code=$?
assert_equal "$code" 3
assert_contains "$("$BELLJAR" log --verify)" "the chain is whole"
if [ -e /dev/full ]; then assert_exit 125 "$BELLJAR" ls 2>/dev/null >/dev/full; fi

# A command that has ended, with a reader that takes nothing: a signal ends the wait.
mkfifo stuck; exec 7<>stuck
"$BELLJAR" run --jar "$JAR" -- bash -c 'touch begun; head -c 300000 /dev/zero & sleep 0.3; kill %1' > stuck &
runner=$!
wait_for 10 test -e begun
sleep 1
kill -TERM "$runner"
code=0; wait "$runner" || code=$?
assert_equal "$code" 143
exec 7<&-; rm stuck

# The workspace is at its own path and writable; the rest of this home is not there.
echo private > "$HOME/private"
in_jar bash -c 'pwd; echo made-inside > made; mkdir folder; mv made folder/' > output
assert_equal "$(cat output)" "$WORKSPACE"
assert_equal "$(cat folder/made)" made-inside
assert_equal "$(stat -c %u folder/made)" "$(id -u)"
assert_fails in_jar bash -c "cat '$HOME/private' 2>/dev/null"

# Environment by allow-list.
export SECRET_IN_ENVIRONMENT=do-not-pass
assert_lacks "$(in_jar env)" do-not-pass
assert_contains "$("$BELLJAR" run --jar "$JAR" -e ASKED_FOR=passed -- env)" ASKED_FOR=passed

# A signal to belljar reaches the command; a command that ignores it does not outlive belljar for long.
"$BELLJAR" run --jar "$JAR" -- bash -c 'trap "echo caught; exit 9" TERM; echo ready; while :; do sleep 0.1; done' > output &
runner=$!
wait_for 10 grep -q ready output
kill -TERM "$runner"
code=0; wait "$runner" || code=$?
assert_equal "$code" 9
assert_contains "$(cat output)" caught

# What the command leaves in the background ends with the jar; so does everything when belljar is killed.
in_jar bash -c 'setsid sleep 4321 & disown; setsid sleep 4322 & sleep 0.2'
assert_no_process 'sleep 432[12]'
"$BELLJAR" run --jar "$JAR" -- sleep 4323 &
runner=$!
wait_for 10 pgrep -f '^sleep 4323'
kill -KILL "$runner"
wait "$runner" 2>/dev/null || true
assert_no_process '^sleep 4323'
assert_no_process 'libexec/belljar|belljar-(keeper|init|proxy|scan|egress|ledger)'
echo "commands behave as without belljar"
