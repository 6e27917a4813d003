#!/usr/bin/env bash
# N5, SECURITY "always denied": names that policy allows but that lead to the host, its LAN, the metadata service or an
# address embedded in another; also when only one of the answers does, or by an alias.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
names="private.test hostlan.test loopback.test metadata.test mixed.test unspecified.test mapped.test nat64.test loopback-six.test cname-private.test"
for name in $names; do
    allow "$name" 80,8098,8099,6379,8080 http
    allow "$name"
done
attack_shell "
    for name in $names; do
        for port in 80 8098 8099 6379 8080; do curl -sS -m 4 http://\$name:\$port/inward & done
        curl -sSk -m 4 https://\$name/inward &
    done; wait"
all_silent neighbour neighbour-raw metadata metadata-raw host-loopback host-lan host-any
wire_silent 10.7.0.9
wire_silent 169.254.169.254
for name in $names; do receiver_got dns "\"name\": \"$name\""; done  # the control: they were allowed and asked for
curl -sS -m 4 http://private.test/inward >/dev/null
receiver_got neighbour inward
