# What a test script sources first:
#
#   #!/usr/bin/env bash
#   source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
#
# The script then runs inside a world (see ./world) with HOME, the XDG folders and a workspace of its own below $TEST_DIR.
# Exit code 0 passes, 77 skips (ctest's SKIP_RETURN_CODE), anything else fails. A test is judged at the receiver or on the
# host, never by what the jar says of itself: receiver_got, receiver_silent, assert_*.
set -euo pipefail

HARNESS=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
PROJECT=$(realpath "$HARNESS/../..")
if [ -z "${BELLJAR_WORLD_DIR:-}" ]; then
    exec "$HARNESS/world" bash "$0" "$@"
fi

TEST_DIR=$(mktemp -d "${BELLJAR_TEST_TMP:-/var/tmp}/belljar-test-XXXXXX")
export HOME="$TEST_DIR/home"
export XDG_CONFIG_HOME="$HOME/.config" XDG_STATE_HOME="$HOME/.local/state" XDG_CACHE_HOME="$HOME/.cache" XDG_DATA_HOME="$HOME/.local/share"
export XDG_RUNTIME_DIR="$TEST_DIR/run"
export LANG=C.UTF-8
WORKSPACE="$TEST_DIR/workspace"
mkdir -p "$XDG_CONFIG_HOME" "$XDG_STATE_HOME" "$XDG_CACHE_HOME" "$XDG_DATA_HOME" "$WORKSPACE"
mkdir -m 700 -p "$XDG_RUNTIME_DIR"
# The generations of this host's system are shared by all tests of a user, as making one takes some seconds; what a generation lacks
# is not saved there, as that takes the room of the host's whole system.
SHARED_ROOTS="${BELLJAR_TEST_ROOTS:-${BELLJAR_TEST_TMP:-/var/tmp}/belljar-test-roots-$(id -u)}"
mkdir -m 700 -p "$SHARED_ROOTS" "$XDG_STATE_HOME/belljar"
touch "$SHARED_ROOTS/never-save"
ln -s "$SHARED_ROOTS" "$XDG_STATE_HOME/belljar/roots"
# The kind of root that this test's jars get; empty: belljar's default.
ROOT_KIND=${BELLJAR_TEST_ROOT-}
if [ -n "$ROOT_KIND" ]; then
    mkdir -p "$XDG_CONFIG_HOME/belljar"
    printf '[jar]\nroot = "%s"\n' "$ROOT_KIND" > "$XDG_CONFIG_HOME/belljar/config.toml"
fi
cd "$WORKSPACE"

# --- ending --------------------------------------------------------------------------------------------------------------

remove_test_dir() {
    cd /
    # The ledger of the last jar ends by itself a moment after it, and writes until then.
    for _ in $(seq 50); do
        chmod -R u+rwx "$TEST_DIR" 2>/dev/null || true
        if rm -rf "$TEST_DIR" 2>/dev/null; then return 0; fi
        sleep 0.1
    done
    rm -rf "$TEST_DIR"
}
# A test adds its own clean-up by redefining on_exit.
on_exit() { :; }
# The test's own belljard, which would stay a minute longer.
end_daemon() {
    local process
    process=$(cat "$XDG_STATE_HOME/belljar/daemon/lock" 2>/dev/null) || return 0
    case "$(cat "/proc/${process:-none}/comm" 2>/dev/null)" in belljard) kill "$process" ;; esac
}
finish_test() {
    local code=$?
    on_exit || true
    end_daemon || true
    remove_test_dir
    exit "$code"
}
trap finish_test EXIT
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
set -o errtrace

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
skip() {
    echo "SKIPPED: $*" >&2
    exit 77
}
need_command() {
    local name
    for name in "$@"; do
        command -v "$name" >/dev/null || skip "$name is not installed"
    done
}

# --- the jar -------------------------------------------------------------------------------------------------------------

# $BELLJAR is the program under test, by default that of the dev build. $JAR is this test's jar.
BELLJAR=${BELLJAR:-$PROJECT/build/dev/bin/belljar}
JAR=test-$$
JAR_OPTIONS=()
need_belljar() { [ -x "$BELLJAR" ] || fail "no belljar at $BELLJAR: build it first, or set BELLJAR"; }
# in_jar COMMAND…: runs it in this test's jar, from the workspace; output and exit code are the command's.
in_jar() {
    need_belljar
    (cd "$WORKSPACE" && "$BELLJAR" run --jar "$JAR" "${JAR_OPTIONS[@]}" -- "$@")
}
# jar_ended: a jar whose belljar was killed holds its lock until the kernel has ended all of it.
jar_ended() { wait_for 20 flock --nonblock "$XDG_STATE_HOME/belljar/jars/$JAR" true; }
in_jar_shell() { in_jar bash -c "$1"; }
# The agents' programs, at the versions pinned in tests/agents.
AGENTS="$PROJECT/tests/agents"
need_agents() {
    [ -x "$AGENTS/node_modules/.bin/claude" ] || skip "the agents are not installed: run ./setup --agents-only"
    PATH="$AGENTS/node_modules/.bin:$PATH"
}

# --- receivers -----------------------------------------------------------------------------------------------------------

# Receivers are named in belljar_world/addresses.py. Bytes that were sent are there at once, but the receiver needs a moment.
receiver_got_now() {
    local log="$BELLJAR_WORLD_LOGS/$1"
    [ -e "$log.jsonl" ] || fail "there is no receiver named $1"
    if [ $# -lt 2 ]; then
        [ -s "$log.jsonl" ]
    else
        grep -aqE -- "$2" "$log.bytes" || grep -aqE -- "$2" "$log.jsonl"
    fi
}
# receiver_got NAME [PATTERN]: the receiver was reached; with a pattern (extended regular expression): it got a line that matches.
receiver_got() {
    local try
    for try in {1..30}; do
        if receiver_got_now "$@"; then return 0; fi
        sleep 0.1
    done
    show_receiver "$1"
    fail "receiver $1 did not get ${2:-anything}"
}
# receiver_silent NAME [PATTERN]: nobody so much as connected; with a pattern: nothing that matches came.
receiver_silent() {
    sleep 0.3
    if receiver_got_now "$@"; then
        show_receiver "$1"
        fail "receiver $1 got ${2:-something}"
    fi
}
show_receiver() { { echo "--- $1 got:"; cut -c1-2000 "$BELLJAR_WORLD_LOGS/$1.jsonl"; echo "---"; } >&2; }
# Forgets what a receiver got so far (its files are appended to, so cutting them is safe).
receiver_forget() { : > "$BELLJAR_WORLD_LOGS/$1.jsonl"; : > "$BELLJAR_WORLD_LOGS/$1.bytes"; }
# wire_silent TARGET [PROTOCOL]: no packet for that address arrived over the cable.
wire_silent() { receiver_silent wire "\"protocol\": \"${2:-[^\"]*}\".*\"target\": \"${1//./\\.}\""; }
wire_got() { receiver_got wire "\"protocol\": \"${2:-[^\"]*}\".*\"target\": \"${1//./\\.}\""; }

# --- assertions ----------------------------------------------------------------------------------------------------------

assert_equal() { [ "$1" = "$2" ] || fail "${3:-values differ}: expected '$2', got '$1'"; }
assert_contains() { [[ "$1" == *"$2"* ]] || fail "${3:-text lacks a part}: '$2' is not in '$1'"; }
assert_lacks() { [[ "$1" != *"$2"* ]] || fail "${3:-text has a part that it must not}: '$2' is in '$1'"; }
assert_matches() { [[ "$1" =~ $2 ]] || fail "${3:-text does not match}: '$2' does not match '$1'"; }
assert_file() { [ -e "$1" ] || fail "there is no $1"; }
assert_no_file() { [ ! -e "$1" ] && [ ! -L "$1" ] || fail "$1 exists"; }
assert_same_file() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
# assert_exit CODE COMMAND…
assert_exit() {
    local expected=$1 code=0
    shift
    "$@" || code=$?
    [ "$code" -eq "$expected" ] || fail "exit code $code instead of $expected: $*"
}
# assert_fails COMMAND…: any exit code but 0 (and not a failure of belljar itself, 125).
assert_fails() {
    local code=0
    "$@" || code=$?
    [ "$code" -ne 0 ] || fail "succeeded, but must not: $*"
    [ "$code" -ne 125 ] || fail "belljar itself failed (125): $*"
}
# assert_within SECONDS COMMAND…: it ends in that time, whatever its exit code. (What hangs for ever is ended by ctest.)
assert_within() {
    local limit=$1 started=$EPOCHREALTIME
    shift
    "$@" || true
    local milliseconds=$(((${EPOCHREALTIME/./} - ${started/./}) / 1000))
    [ "$milliseconds" -le $((limit * 1000)) ] || fail "took $milliseconds ms, more than $limit s: $*"
}
# assert_no_process PATTERN: nothing in this world runs whose command line matches (waits two seconds for it to go).
assert_no_process() {
    local try
    for try in {1..20}; do
        if ! pgrep -f -- "$1" >/dev/null; then return 0; fi
        sleep 0.1
    done
    pgrep -af -- "$1" >&2
    fail "a process is left: $1"
}
# wait_for SECONDS COMMAND…: until it succeeds.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "did not happen in time: $*"
        sleep 0.1
    done
}
