#!/usr/bin/env bash
# Each process of the gateway killed in turn: what is under way ends, what comes after is denied, nothing leaves.
GATEWAY_OPTIONS=(--allow allowed.test,,)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
victim=${1:?which process}

assert_passes https://allowed.test/before
receiver_got allowed '/before'
curl -sS --max-time 20 -o "$TEST_DIR/slow" -w '%{http_code}' 'https://allowed.test/slow?ms=6000' > "$TEST_DIR/slow-status" 2>/dev/null &
slow=$!
wait_for 5 receiver_got_now allowed /slow
receiver_forget allowed

case $victim in
scan) kill -KILL "$SCAN_PID" ;;
egress) kill -KILL "$EGRESS_PID" ;;
proxy) kill -KILL "$PROXY_PID" ;;
ledger) kill -KILL "$LEDGER_PID" ;;
esac
sleep 0.3

for try in 1 2 3; do
    fetch "https://allowed.test/after"
    if [ "$victim" = proxy ]; then
        assert_equal "$status" 000
    else
        assert_equal "$status" 503 "$(cat "$TEST_DIR/curl-errors")"
        assert_matches "$reason" 'nothing leaves without'
    fi
    fetch https://evil.test/after
    [ "$status" = 000 ] || [ "$status" = 403 ] || [ "$status" = 503 ] || fail "status $status"
done
receiver_silent allowed /after
receiver_silent evil
if [ "$victim" != ledger ]; then
    wait "$slow" || true
    status=$(cat "$TEST_DIR/slow-status")
    [ "$status" != 200 ] || fail "the request under way was answered"
fi
