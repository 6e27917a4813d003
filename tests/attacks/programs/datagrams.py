#!/usr/bin/env python3
"""datagrams WORDS ADDRESS…: every protocol but TCP that may carry WORDS to the addresses, each tried whatever became of the others."""
import itertools
import os
import socket
import struct
import sys

words = sys.argv[1].encode()
SEQPACKET_DCCP = 6


def attempt(name, action):
    try:
        print(name, action())
    except OSError as error:
        print(name, "failed:", error)


def echo_request(kind):
    def packet(checksum):
        return struct.pack("!BBHHH", kind, 0, checksum, 7, 1) + words + b"\0" * (len(words) % 2)

    total = sum(struct.unpack(f"!{len(packet(0)) // 2}H", packet(0)))
    total = (total & 0xFFFF) + (total >> 16)
    return packet(~total & 0xFFFF)


def send(family, kind, protocol, payload, where):
    with socket.socket(family, kind, protocol) as sender:
        sender.settimeout(0.2)
        return sender.sendto(payload, where)


def connect_and_send(family, kind, protocol, where):
    with socket.socket(family, kind, protocol) as sender:
        sender.settimeout(0.3)
        sender.connect(where)
        return sender.send(words)


def fast_open(family, where):  # the first segment of a connection may carry data
    with socket.socket(family, socket.SOCK_STREAM) as sender:
        sender.settimeout(0.3)
        return sender.sendto(words, socket.MSG_FASTOPEN, where)


def broadcast(where):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        return sender.sendto(words, where)


def frame(interface):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((interface, 0))
        return sender.send(b"\xff" * 6 + b"\x02" * 6 + b"\x88\xb5" + words)


for address in sys.argv[2:]:
    six = ":" in address
    family = socket.AF_INET6 if six else socket.AF_INET
    for port in (53, 123, 161, 443, 4444, 5353, 8098, 8099, 9999):
        attempt(f"udp {address}:{port}", lambda: send(family, socket.SOCK_DGRAM, 0, words, (address, port)))
        attempt(f"connected udp {address}:{port}", lambda: connect_and_send(family, socket.SOCK_DGRAM, 0, (address, port)))
    ping = socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP
    for kind, protocol in itertools.product((socket.SOCK_DGRAM, socket.SOCK_RAW), (ping, 47, 132, 136, 255)):
        attempt(f"type {kind} protocol {protocol} to {address}", lambda: send(family, kind, protocol, echo_request(128 if six else 8), (address, 0)))
    for kind, protocol in ((socket.SOCK_STREAM, 132), (socket.SOCK_SEQPACKET, 132), (socket.SOCK_STREAM, 262), (SEQPACKET_DCCP, 33)):
        attempt(f"connect protocol {protocol} to {address}", lambda: connect_and_send(family, kind, protocol, (address, 4444)))
    attempt(f"fast open {address}", lambda: fast_open(family, (address, 4444)))

for destination in ("255.255.255.255", "10.7.0.255", "224.0.0.251", "239.255.255.250"):
    attempt(f"broadcast {destination}", lambda: broadcast((destination, 5353)))
for interface in sorted({"lo", "eth0", *(os.listdir("/sys/class/net") if os.path.isdir("/sys/class/net") else [])}):
    attempt(f"frame on {interface}", lambda: frame(interface))
for port in (22, 52, 1024):
    attempt(f"vsock {port}", lambda: connect_and_send(socket.AF_VSOCK, socket.SOCK_STREAM, 0, (socket.VMADDR_CID_HOST, port)))
