#!/usr/bin/env bash
# Denied requests to hosts that no rule knows become proposals; a decision counts for exactly that kind of request.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command python3
in_jar true
ask() { in_jar curl -sS -o /dev/null -w '%{http_code}' "$@" 2>/dev/null; }
proposals() { "$BELLJAR" review ls --json "$@"; }
number_of() { proposals --all | python3 -c '
import json, sys
print(*[p["number"] for p in json.load(sys.stdin) if (p["method"], p["host"]) == tuple(sys.argv[1:])])' "$1" "$2"; }

assert_equal "$("$BELLJAR" review)" "nothing waits for you"
"$BELLJAR" deny --jar "$JAR" evil.test
assert_equal "$(ask https://allowed.test/x)" 403
assert_equal "$(ask https://allowed.test/y)" 403
assert_equal "$(ask -d body https://allowed.test/)" 403
assert_equal "$(ask https://evil.test/)" 403
ask -X $'EV\tIL' https://allowed.test/ >/dev/null || true

# One a kind of request, counted; what a rule denies is no question.
list=$("$BELLJAR" review)
assert_contains "$list" "GET https://allowed.test"
assert_contains "$list" "POST https://allowed.test"
assert_contains "$list" "2 ×"
assert_lacks "$list" evil.test
assert_equal "$(proposals | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')" 2
assert_contains "$("$BELLJAR" review show "$(number_of GET allowed.test)")" 'host = "allowed.test"'

# Approval: this jar, this method; the other one still waits. On record before.
"$BELLJAR" review approve "$(number_of GET allowed.test)" --reason "docs of the app" >"$TEST_DIR/out"
assert_contains "$(cat "$TEST_DIR/out")" "it is allowed for jar $JAR"
assert_equal "$(ask https://allowed.test/)" 200
assert_equal "$(ask -I https://allowed.test/)" 403
assert_equal "$(ask -d body https://allowed.test/)" 403
assert_equal "$(ask http://allowed.test/)" 403
receiver_silent allowed '"method": "(POST|HEAD)"'
assert_contains "$("$BELLJAR" log "$JAR")" "approves proposal 1: docs of the app"
mkdir "$TEST_DIR/other"
elsewhere() { "$BELLJAR" run --jar elsewhere --workspace "$TEST_DIR/other" -- curl -sS -o /dev/null -w '%{http_code}' "$@" https://allowed.test/ 2>/dev/null; }
assert_equal "$(elsewhere)" 403

# Always: every jar, in the user's own configuration.
"$BELLJAR" review always "$(number_of POST allowed.test)" >/dev/null
assert_contains "$(cat "$XDG_CONFIG_HOME/belljar/config.toml")" 'methods = ["POST"]'
assert_equal "$(elsewhere -d body)" 200
assert_equal "$(elsewhere)" 403

# Rejected stays rejected when it is asked for again, and denied.
"$BELLJAR" review reject "$(number_of HEAD allowed.test)" >/dev/null
assert_equal "$(ask -I https://allowed.test/)" 403
assert_lacks "$("$BELLJAR" review)" HEAD
assert_contains "$("$BELLJAR" review ls --all)" rejected
assert_exit 125 "$BELLJAR" review reject "$(number_of HEAD allowed.test)" 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "is rejected already"
# Only what can be written down is on record; a method that is none is named; a deny rule that still counts, too.
assert_exit 125 "$BELLJAR" allow --jar "$JAR" typo.example --method GTE 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "no HTTP method 'GTE'; did you mean GET?"
assert_exit 125 "$BELLJAR" allow --jar "$JAR" typo.example --path 'no-slash' 2>"$TEST_DIR/err"
assert_exit 125 "$BELLJAR" allow --jar "$JAR" typo.example --port 443 --path '/a//b' 2>"$TEST_DIR/err"
assert_lacks "$("$BELLJAR" log)" typo.example
assert_contains "$("$BELLJAR" allow --jar "$JAR" evil.test)" "still beats it: belljar deny --remove --jar $JAR 'evil.test'"
assert_lacks "$("$BELLJAR" allow --jar "$JAR" fine.example)" "still beats it"
"$BELLJAR" deny --remove --jar "$JAR" evil.test >/dev/null
assert_lacks "$("$BELLJAR" allow --jar "$JAR" evil.test)" "still beats it"
# A jar that runs has the policy of its start, and who asks is told.
in_jar sh -c 'touch up; exec sleep 100' &
running=$!
wait_for 10 test -e "$WORKSPACE/up"
sleep 1.1
assert_contains "$("$BELLJAR" allow --jar "$JAR" later.example)" "next start"
"$BELLJAR" policy test --jar "$JAR" GET https://later.example/ >/dev/null 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "try: belljar stop $JAR && belljar run --jar $JAR -- COMMAND"
"$BELLJAR" stop "$JAR" >/dev/null
wait "$running" || true
"$BELLJAR" policy test --jar "$JAR" GET https://later.example/ >/dev/null 2>"$TEST_DIR/err"
assert_lacks "$(cat "$TEST_DIR/err")" "older policy"
assert_contains "$("$BELLJAR" log --verify)" "the chain is whole"
echo "a decision counts for exactly what was shown"
