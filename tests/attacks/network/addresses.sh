#!/usr/bin/env bash
# N4, N5: addresses instead of names, in every spelling that a client or a resolver understands: of the attacker, of the
# allowed host itself, of the host's loopback and LAN, of a neighbour and of the cloud's metadata service.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test 80 http
allow allowed.test
cat > "$WORKSPACE/addresses" <<'WORDS'
127.0.0.1 127.1 0x7f.0.0.1 2130706433 017700000001 0177.0.0.1 127.0.0.1.
10.7.0.5 0xa070005 168230917 10.458757 012.07.0.05 10.7.0.9 168230921 10.7.0.1
169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 100.100.100.200 168.63.129.16 192.0.0.192
93.184.216.12 1572395020 0x5db8d80c 93.12113932 93.184.216.10 1572395018
0.0.0.0 0 00000000 255.255.255.255
[::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [2002:7f00:1::] [::ffff:93.184.216.12]
[fd00:ec2::254] [fe80::1] [2606:2800:220:1::10] [fd07::5] [fd07::1] [::]
127.0.0.1.nip.io 10.7.0.5.sslip.io localhost localhost.localdomain ip6-localhost
①②⑦.⓪.⓪.① １２７.１ 127。0。0。1
WORDS
attack_shell '
    for address in $(cat addresses); do
        (for port in 80 8098 8099 6379 4444; do echo "url=http://$address:$port/by-address"; done; echo "url=https://$address/by-address") |
            curl -sSk -m 3 -Z --noproxy "*" --globoff -K - &
        curl -sS -m 3 -H "Host: allowed.test" --globoff "http://$address/by-address" &
        curl -sSk -m 3 --resolve "allowed.test:443:${address//[\[\]]/}" https://allowed.test/by-address &
        curl -sSk -m 3 --connect-to "::$address:" https://allowed.test/by-connect-to &
        [ $((++count % 8)) -ne 0 ] || wait
    done; wait'
all_silent dns evil evil-raw allowed other neighbour neighbour-raw metadata metadata-raw host-loopback host-lan host-any host-abstract registry wire

attack curl -sS -m 4 http://allowed.test/by-name
receiver_got allowed 'GET /by-name'
curl -sS -m 4 http://2852039166/by-address >/dev/null  # the control: the world has what was asked for
receiver_got metadata by-address
