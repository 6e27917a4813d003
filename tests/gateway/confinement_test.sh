#!/usr/bin/env bash
# What the gateway's processes have left of the machine while they work.
GATEWAY_OPTIONS=(--allow allowed.test,,)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

assert_passes https://allowed.test/
field() { awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"; }
for pid in "$PROXY_PID" "$SCAN_PID" "$EGRESS_PID" "$LEDGER_PID"; do
    assert_equal "$(field "$pid" Seccomp)" 2 "system call filter of $(cat "/proc/$pid/comm")"
    assert_equal "$(field "$pid" NoNewPrivs)" 1
    assert_equal "$(field "$pid" CapEff)" 0000000000000000
    assert_equal "$(field "$pid" CapPrm)" 0000000000000000
    assert_equal "$(field "$pid" Threads)" 1
done
# proxy and scan are in a network of their own: no route in it, no interface that is up.
for pid in "$PROXY_PID" "$SCAN_PID"; do
    assert_equal "$(grep -vc Iface "/proc/$pid/net/route" || true)" 0 "routes of $(cat "/proc/$pid/comm")"
    assert_equal "$(grep -c : "/proc/$pid/net/dev")" 1
done
[ "$(grep -vc Iface "/proc/$EGRESS_PID/net/route")" -ge 1 ] || fail "egress has no route"
