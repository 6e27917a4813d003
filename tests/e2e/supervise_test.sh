#!/usr/bin/env bash
# Jars seen and steered from outside: live figures, pause, logs, a detached start, another name, a server inside reached from here.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_belljar
need_command python3 curl
state_of() { "$BELLJAR" ls --json | python3 -c 'import json, sys; print({jar["name"]: jar for jar in json.load(sys.stdin)}[sys.argv[1]].get(sys.argv[2]))' "$1" "$2"; }

# --- a detached start; figures of what runs
"$BELLJAR" run --jar "$JAR" --detach -- bash -c 'for n in {1..200}; do echo "line $n"; done; touch up; while :; do date +%N > tick; sleep 0.05; done' 2>"$TEST_DIR/message"
assert_contains "$(cat "$TEST_DIR/message")" "belljar attach $JAR"
wait_for 10 test -e up
assert_equal "$(state_of "$JAR" state)" running
[ "$(state_of "$JAR" processes)" -ge 1 ] && [ "$(state_of "$JAR" memory)" -gt 100000 ] || fail "no figures of a running jar"
assert_contains "$("$BELLJAR" ps)" "$JAR"
assert_exit 125 "$BELLJAR" start "$JAR" 2>"$TEST_DIR/message"
assert_contains "$(cat "$TEST_DIR/message")" "try: belljar attach $JAR"

# --- what its terminal has shown, as text
"$BELLJAR" logs "$JAR" >"$TEST_DIR/logs"
assert_equal "$(grep -c '^line [0-9]*$' "$TEST_DIR/logs")" 200
if LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]' "$TEST_DIR/logs"; then fail "logs hold what a terminal obeys"; fi

# --- pause: nothing moves, nothing further starts; resume: all goes on
assert_equal "$("$BELLJAR" pause "$JAR")" "paused jar $JAR"
assert_equal "$(state_of "$JAR" state)" paused
before=$(cat tick); sleep 0.5
assert_equal "$(cat tick)" "$before" "a paused program works"
assert_exit 125 "$BELLJAR" exec "$JAR" -- true 2>"$TEST_DIR/message"
assert_contains "$(cat "$TEST_DIR/message")" "try: belljar resume $JAR"
"$BELLJAR" resume "$JAR"
wait_for 5 sh -c "[ \"\$(cat tick)\" != '$before' ]"
"$BELLJAR" pause "$JAR"
assert_within 5 "$BELLJAR" stop "$JAR" # what is paused can be ended
assert_equal "$(state_of "$JAR" state)" stopped

# --- another name: with its home and its rules
"$BELLJAR" allow --jar "$JAR" renamed.example >/dev/null
in_jar sh -c 'echo kept > ~/kept'
"$BELLJAR" rename "$JAR" "$JAR-new"
assert_lacks "$("$BELLJAR" ls --names | grep -x "$JAR" || true)" "$JAR"
JAR="$JAR-new"
assert_equal "$(in_jar sh -c 'cat ~/kept; hostname')" "kept
$JAR"
assert_contains "$("$BELLJAR" policy show --jar "$JAR")" renamed.example
"$BELLJAR" run --no-workspace --jar other -- true
assert_exit 125 "$BELLJAR" rename other "$JAR" 2>"$TEST_DIR/message"
assert_exit 125 "$BELLJAR" rename other 'No Name' 2>"$TEST_DIR/message"

# --- a server inside, on either loopback of the jar, from either loopback of the host
cat >serve.py <<'CODE'
import socket, sys, threading
def serve(family, address, words):
    server = socket.socket(family); server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); server.bind(address); server.listen()
    while True:
        connection, _ = server.accept(); connection.recv(65536)
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + words); connection.close()
threading.Thread(target=serve, args=(socket.AF_INET, ("127.0.0.1", 3000), b"four")).start()
threading.Thread(target=serve, args=(socket.AF_INET6, ("::1", 3006), b"six")).start()
open("serving", "w").close()
CODE
"$BELLJAR" run --jar "$JAR" --detach -- python3 serve.py 2>/dev/null
wait_for 10 test -e serving
"$BELLJAR" forward "$JAR" 18080:3000 2>/dev/null & first=$!
"$BELLJAR" forward "$JAR" 18086:3006 2>/dev/null & second=$!
on_exit() { kill "$first" "$second" 2>/dev/null || true; }
wait_for 5 curl -s http://127.0.0.1:18080/
assert_equal "$(curl -s http://127.0.0.1:18080/)" four
assert_equal "$(curl -s 'http://[::1]:18080/')" four
wait_for 5 curl -s http://127.0.0.1:18086/
assert_equal "$(curl -s http://127.0.0.1:18086/)" six
kill -INT "$second"; wait "$second"
assert_exit 125 "$BELLJAR" forward "$JAR" nonsense 2>/dev/null
"$BELLJAR" stop "$JAR"
on_exit() { kill -KILL "$first" 2>/dev/null || true; }
curl -s -m 3 http://127.0.0.1:18080/ && fail "a jar that has ended answers" || true
assert_no_process 'belljar-(keeper|init|proxy|scan|egress)'
echo "jars are seen and steered"
