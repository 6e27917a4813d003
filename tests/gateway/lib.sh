# What the scripts in this folder source: a script runs in the world, and again in a network namespace whose only way
# out is the door of a real gateway (gateway_driver.cc) that was started with $GATEWAY_OPTIONS.
#
# Inside, curl trusts the jar's authority; PROXY_PID, SCAN_PID, EGRESS_PID and LEDGER_PID are the processes.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command curl ip nft python3
GATEWAY_DRIVER=${GATEWAY_DRIVER:-$PROJECT/build/dev/bin/gateway_driver}

if [ -z "${PROXY_PID:-}" ]; then
    export LEDGER="$BELLJAR_WORLD_DIR/ledger"
    code=0
    "$GATEWAY_DRIVER" --ledger "$LEDGER" "${GATEWAY_OPTIONS[@]}" -- bash "$PROJECT/tests/gateway/${0##*/}" "$@" || code=$?
    exit "$code"
fi

# fetch CURL-ARGUMENT…: sets $status (000: no answer), $body and $reason (the header x-belljar).
fetch() {
    local head="$TEST_DIR/head"
    : > "$head"
    status=$(curl -sS --max-time 20 -o "$TEST_DIR/body" -D "$head" -w '%{http_code}' "$@" 2> "$TEST_DIR/curl-errors") || true
    body=$(cat "$TEST_DIR/body" 2>/dev/null | tr -d "\0" || true)
    reason=$(sed -n 's/^x-belljar: *//Ip' "$head" | tail -1 | tr -d '\r')
    rm -f "$TEST_DIR/body"
}
# assert_refused STATUS PATTERN CURL-ARGUMENT…: answered by the gateway, with a reason that matches.
assert_refused() {
    local expected=$1 pattern=$2
    shift 2
    fetch "$@"
    assert_equal "$status" "$expected" "status of $* ($body $(cat "$TEST_DIR/curl-errors"))"
    assert_matches "$reason" "$pattern"
    if [[ "$*" != *-I* ]]; then assert_contains "$body" '"error":"belljar: '; fi
}
assert_passes() {
    fetch "$@"
    assert_equal "$status" 200 "status of $* ($body $(cat "$TEST_DIR/curl-errors"))"
}
# logged PATTERN: an event in the ledger matches, as its source and texts in one line. logged_not: none does.
show_ledger() { python3 - "$LEDGER/ledger.db" <<'END'
import re, sqlite3, sys
for source, event in sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute("SELECT source, event FROM events ORDER BY sequence"):
    print(source, re.sub(rb"[^ -~]+", b" ", event).decode())
END
}
logged() {
    local try
    for try in {1..20}; do
        if show_ledger | grep -E -- "$1" > /dev/null; then return 0; fi
        sleep 0.1
    done
    show_ledger >&2
    fail "the ledger has nothing like $1"
}
logged_not() { if show_ledger | grep -E -- "$1"; then fail "the ledger has $1"; fi; }
# raw NAME PORT TEXT: sends it as it is over plain TCP; prints what comes back.
raw() { python3 - "$@" <<'END'
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as s:
    s.settimeout(5)
    s.sendall(sys.argv[3].encode("latin-1").decode("unicode_escape").encode("latin-1"))
    try:
        while data := s.recv(65536):
            sys.stdout.write(data.decode("latin-1"))
    except (TimeoutError, ConnectionResetError) as error:
        print(type(error).__name__)
END
}
