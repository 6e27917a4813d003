#!/usr/bin/env bash
# Pipes, exit codes and signals behave as without belljar, and nothing stays behind.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"

# Standard output and error stay apart; standard input arrives whole.
in_jar sh -c 'echo out; echo err >&2' >"$TEST_DIR/out" 2>"$TEST_DIR/err"
assert_equal "$(cat "$TEST_DIR/out")" out
assert_equal "$(cat "$TEST_DIR/err")" err
head -c 5000000 /dev/urandom >"$TEST_DIR/bytes"
assert_equal "$(in_jar sha256sum <"$TEST_DIR/bytes")" "$(sha256sum <"$TEST_DIR/bytes")"
in_jar cat <"$TEST_DIR/bytes" >"$TEST_DIR/copy"
assert_same_file "$TEST_DIR/bytes" "$TEST_DIR/copy"
assert_equal "$(in_jar cat </dev/null)" ""

# A reader that goes away ends the program, as a shell's pipe does.
assert_within 10 bash -c "'$BELLJAR' run --jar $JAR -- yes | head -1" >"$TEST_DIR/out"
assert_equal "$(cat "$TEST_DIR/out")" y

# Exit codes and signals of the program, and belljar's own.
assert_exit 0 in_jar true
assert_exit 42 in_jar sh -c 'exit 42'
assert_exit 143 in_jar sh -c 'kill -TERM $$'
assert_exit 127 in_jar no-such-program
echo data >"$WORKSPACE/plain-file"
assert_exit 126 in_jar ./plain-file
assert_exit 125 "$BELLJAR" run

# A signal to belljar reaches the program.
(cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR" -- sh -c 'trap "echo caught > caught; exit 7" TERM; touch ready; while :; do sleep 0.1; done') &
running=$!
wait_for 10 test -e "$WORKSPACE/ready"
kill -TERM "$running"
code=0
wait "$running" || code=$?
assert_equal "$code" 7
assert_file "$WORKSPACE/caught"

# What a program started in the background ends with it.
in_jar sh -c 'setsid sleep 4711 >/dev/null 2>&1 & exit 0'
assert_no_process 'sleep 4711'

# So does everything when belljar itself is killed.
(cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR" -- sh -c 'touch killed-ready; exec sleep 4712') &
running=$!
wait_for 10 test -e "$WORKSPACE/killed-ready"
kill -KILL "$running"
wait "$running" || true
assert_no_process 'sleep 4712'
assert_no_process 'belljar-(init|ledger|proxy|scan|egress)'
