#!/usr/bin/env bash
# N6: an allowed name answers with a public address first and with the host's own next. The address that is dialled is the
# one that was checked, on every dial.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow rebind.test 8098,8099,6379 http
allow rebind-lan.test 80,8099 http
allow rebind.test
attack_shell '
    for round in 1 2 3 4; do
        curl -sS -m 3 http://rebind-lan.test/rebound-lan
        for port in 8098 8099 6379; do curl -sS -m 3 http://rebind.test:$port/rebound & done
        curl -sS -m 3 http://rebind-lan.test:8099/rebound & curl -sSk -m 3 https://rebind.test/rebound &
        wait
    done'
for name in rebind rebind-lan; do
    [ "$(grep -c "\"name\": \"$name.test\", \"type\": \"A\"" "$BELLJAR_WORLD_LOGS/dns.jsonl")" -ge 2 ] || fail "the second answer of $name.test was never asked for, so nothing was tested"
done
all_silent host-loopback host-lan host-any
receiver_got allowed 'GET /rebound-lan'  # the control: the first, public answer is dialled

# And without belljar the same name does lead to the host.
curl -sS -m 3 --http0.9 http://rebind.test:8099/rebound >/dev/null || true
receiver_got host-loopback rebound
