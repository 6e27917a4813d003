#!/usr/bin/env bash
# N17: every protocol that is not TCP over IPv4: UDP, ICMP, SCTP, GRE, raw IP, IPv6, broadcast and multicast, frames on an
# interface, TCP fast open, VSOCK. Nothing arrives at anybody, the host's own sockets included.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
program datagrams
attack ./datagrams datagram-words 93.184.216.12 93.184.216.10 10.7.0.9 10.7.0.1 10.7.0.5 127.0.0.1 169.254.169.254 fd07::1 fd07::5 ::1 2606:2800:220:1::10
all_silent evil-raw allowed-raw neighbour-raw metadata-raw host-loopback host-lan host-any wire

timeout 20 ./datagrams datagram-words 93.184.216.12 127.0.0.1 >/dev/null  # the control
receiver_got evil-raw datagram-words
receiver_got host-loopback datagram-words
