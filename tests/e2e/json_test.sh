#!/usr/bin/env bash
# --json of every command is one value (or a line each), with the fields that docs/formats/json.md names.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_belljar
need_command python3 script

# fields FILE NAME…: the (last) value in it is an object with these fields and no others.
fields() {
    local file=$1
    shift
    python3 - "$file" "$@" <<'CODE' || { cat "$file" >&2; fail "not the fields that are documented"; }
import json, sys
text = open(sys.argv[1]).read()
try:
    value = json.loads(text)
except ValueError:
    value = json.loads(text.splitlines()[-1])
value = value[0] if isinstance(value, list) else value
assert sorted(value) == sorted(sys.argv[2:]), sorted(value)
CODE
    local name
    for name; do
        grep -q "\`$name\`" "$PROJECT/docs/formats/json.md" || fail "$name is not documented"
    done
}
say() { "$BELLJAR" "$@" --json >"$TEST_DIR/json" 2>"$TEST_DIR/err" || { cat "$TEST_DIR/err" >&2; fail "$* --json failed"; }; }
value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$TEST_DIR/json" "$1"; }

say version && fields "$TEST_DIR/json" version
say doctor && fields "$TEST_DIR/json" state what found try
"$BELLJAR" run --jar "$JAR" --detach -- sh -c 'echo shown; touch up; exec sleep 1000' 2>/dev/null
wait_for 10 test -e up
say ls && fields "$TEST_DIR/json" name state agent workspace created started ended exit_code root requests command keeper attached terminal processes cpu_ms memory own_memory gateway gateway_restarts out_of_memory why limits
say logs "$JAR" && fields "$TEST_DIR/json" jar output
assert_contains "$(value output)" shown
say pause "$JAR" && fields "$TEST_DIR/json" jar paused
say resume "$JAR" && assert_equal "$(value paused)" False
assert_exit 3 "$BELLJAR" exec --json "$JAR" -- sh -c 'echo "its own"; exit 3' >"$TEST_DIR/out" 2>"$TEST_DIR/json"
assert_equal "$(cat "$TEST_DIR/out")" "its own"
fields "$TEST_DIR/json" jar detached why exit_code left_behind left_behind_in_all
assert_equal "$(value exit_code)" 3
"$BELLJAR" forward "$JAR" 39417:3000 --json >"$TEST_DIR/json" 2>/dev/null &
forwarding=$!
wait_for 10 grep -q '}' "$TEST_DIR/json"
fields "$TEST_DIR/json" jar host_port jar_port
kill "$forwarding"
wait "$forwarding" || true
say stop "$JAR" && assert_equal "$(value stopped)" True
say stop "$JAR" && assert_equal "$(value stopped)" False
touch more
say checkpoint "$JAR" && fields "$TEST_DIR/json" jar workspace git_directory checkpoint made entries unsaved
say undo "$JAR" --list && fields "$TEST_DIR/json" number made stood why entries unsaved git_directory default damage
say undo "$JAR" && assert_equal "$(value done)" False
assert_file more
say undo "$JAR" --yes && fields "$TEST_DIR/json" jar workspace path checkpoint done before changes not_as_it_was
assert_equal "$(value done)" True
assert_no_file more
say undo "$JAR" --yes && assert_equal "$(value done)" False
say allow --jar "$JAR" api.example.com && fields "$TEST_DIR/json" host verdict jar added still_denied file counts_from_next_start
say allow --jar "$JAR" api.example.com --remove && fields "$TEST_DIR/json" host removed file
say allow --jar "$JAR" api.example.com
say policy show --jar "$JAR" && fields "$TEST_DIR/json" rules services exceptions settings limits notes
say policy test --jar "$JAR" GET https://api.example.com/ && fields "$TEST_DIR/json" verdict reason origin
say policy check --jar "$JAR"
say log --verify && fields "$TEST_DIR/json" whole rows
say log "$JAR"
say rename "$JAR" "$JAR-new" && fields "$TEST_DIR/json" jar was
JAR="$JAR-new"

# rm: what goes with a jar is told and asked about where somebody is; its rules must count for no later jar of that name.
rules="$XDG_CONFIG_HOME/belljar/jars/$JAR.toml"
assert_file "$rules"
said=$(script -qec "'$BELLJAR' rm $JAR" /dev/null <<<n || true)
assert_contains "$said" "checkpoint"
assert_contains "$said" "its home"
assert_contains "$said" "its rules"
assert_contains "$said" "stays"
say ls && assert_contains "$(cat "$TEST_DIR/json")" "$JAR"
assert_contains "$(script -qec "'$BELLJAR' rm $JAR --keep-rules" /dev/null <<<y)" "its rules stay"
assert_file "$rules"
in_jar true
script -qec "'$BELLJAR' rm --force $JAR" /dev/null </dev/null >"$TEST_DIR/out"
assert_lacks "$(cat "$TEST_DIR/out")" "[y/N]"
assert_no_file "$rules"
in_jar true
say rm "$JAR" && fields "$TEST_DIR/json" removed rules_removed
assert_contains "$("$BELLJAR" log "$JAR" --json)" '"reason":"removed"'

# A jar of an agent, started and attached to.
mkdir -p "$TEST_DIR/bin"
printf '#!/bin/sh\necho here; exec sleep 1000\n' >"$TEST_DIR/bin/claude"
chmod +x "$TEST_DIR/bin/claude"
export PATH="$TEST_DIR/bin:$PATH"
"$BELLJAR" --jar agent --no-login --detach claude 2>/dev/null
"$BELLJAR" stop agent >/dev/null
say start agent && fields "$TEST_DIR/json" jar agent started
(sleep 1; "$BELLJAR" stop agent >/dev/null) &
script -qec "'$BELLJAR' attach agent --json" /dev/null </dev/null | tr -d '\r' | grep -o '{"jar.*}' >"$TEST_DIR/json" || true
wait
fields "$TEST_DIR/json" jar detached why exit_code left_behind left_behind_in_all
