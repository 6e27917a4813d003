#!/usr/bin/env bash
# Bodies both ways: whole, in pieces without delay, larger than any buffer, cut.
GATEWAY_OPTIONS=(--allow 'allowed.test,,GET|HEAD|POST|PUT,' --allow 'allowed.test,http,GET|POST,')
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Large both ways, unchanged, with little memory.
head -c 50000000 /dev/urandom > "$TEST_DIR/upload"
sum=$(sha256sum < "$TEST_DIR/upload" | cut -d' ' -f1)
assert_passes -T "$TEST_DIR/upload" https://allowed.test/echo
receiver_got allowed "\"sha256\": \"$sum\""
assert_passes -T - -H 'Transfer-Encoding: chunked' -X POST https://allowed.test/echo < "$TEST_DIR/upload"
assert_contains "$body" '"bytes": 50000000'
assert_equal "$(curl -sS 'https://allowed.test/big?bytes=200000000' | wc -c)" 200000000
assert_equal "$(curl -sS 'http://allowed.test/chunked?bytes=1234567' | wc -c)" 1234567
for pid in "$PROXY_PID" "$SCAN_PID" "$EGRESS_PID"; do
    peak=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status")
    [ "$peak" -lt "${MEMORY_LIMIT_KB:-65536}" ] || fail "a gateway process needed $peak KiB"
done

# Events arrive as they are sent: five in a second, the first long before the last.
python3 - <<'END'
import os, ssl, time, urllib.request
context = ssl.create_default_context(cafile=os.environ["CURL_CA_BUNDLE"])
late = []
with urllib.request.urlopen("https://allowed.test/sse?n=5&ms=200", context=context) as answer:
    while line := answer.readline():
        if line.startswith(b"data:"):
            late.append(time.time() - float(line.split()[-1]))
assert len(late) == 5, late
assert max(late) < 0.1, late
END

# A client that gives up ends the request at the server, too.
egress_connections() { grep -c ' 0AD8B85D:01BB 01 ' "/proc/$EGRESS_PID/net/tcp" || true; }
no_more_than() { [ "$(egress_connections)" -le "$1" ]; }
idle=$(egress_connections)
timeout 2 curl -sS https://allowed.test/hang &
client=$!
wait_for 2 receiver_got_now allowed /hang
[ "$(egress_connections)" -ge 1 ] || fail "no connection is seen"
wait "$client" || true
[ "$idle" -ge 1 ] || fail "no connection was kept"
wait_for 4 no_more_than $((idle - 1))

# Answers that are cut stay cut; conflicting ones do not pass.
fetch https://allowed.test/close
assert_equal "$status" 502
fetch https://allowed.test/conflicting
assert_equal "$status" 502

# Statuses as the server gave them.
for code in 204 304 404 500; do
    fetch "https://allowed.test/status?code=$code"
    assert_equal "$status" "$code"
done

# A slow reader does not make the gateway grow.
curl -sS --limit-rate 200k --max-time 3 'https://allowed.test/big?bytes=100000000' &> /dev/null || true
peak=$(awk '/VmHWM/ { print $2 }' "/proc/$PROXY_PID/status")
[ "$peak" -lt "${MEMORY_LIMIT_KB:-65536}" ] || fail "the proxy needed $peak KiB"

# Fifty clients at once.
for number in $(seq 50); do curl -sS "https://allowed.test/parallel/$number" > "$TEST_DIR/out-$number" & done
wait
assert_equal "$(cat "$TEST_DIR"/out-* | grep -c 'hello from allowed')" 50
