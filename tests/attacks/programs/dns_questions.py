#!/usr/bin/env python3
"""dns_questions WORDS SERVER…: asks each server for names that carry WORDS, in every type, over UDP and TCP, and what no parser should take."""
import socket
import struct
import sys
import threading

words = sys.argv[1]
names = [f"{words}.evil.test", f"{words}.allowed.test", f"{words}.{'a' * 60}.evil.test", f"{words.upper()}.EVIL.test.", f"{words}.test", words]
types = [1, 2, 5, 6, 10, 12, 13, 15, 16, 28, 33, 35, 41, 43, 48, 64, 65, 99, 249, 250, 251, 252, 255, 256, 65280]


def question(name, kind, flags=0x0100, record_class=1):
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.rstrip(".").split("."))
    return struct.pack("!HHHHHH", 7, flags, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, record_class)


def messages():
    for name in names:
        for kind in types:
            yield question(name, kind)
    for flags in (0x0000, 0x0080, 0x2800, 0x2000, 0x1000, 0x8180):  # inverse, status, notify, update, an answer
        yield question(names[0], 1, flags)
    for record_class in (3, 4, 254, 255, 0x8001):
        yield question(names[0], 16, record_class=record_class)
    good = question(names[0], 1)
    yield good[:10] + b"\0\1" + good[12:] + b"\0\0\x29\x10\0\0\0\0\0\0\x14\0\x08\0\x10" + words.encode().ljust(16)  # EDNS option
    yield good[:4] + b"\0\2" + good[6:] + question(names[1], 1)[12:]  # two questions
    yield good[:12] + b"\xc0\x0c" + good[-4:]  # a pointer to itself
    yield good[:-6]
    yield good + words.encode() * 20


def ask_udp(server):
    with socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(0.02)
        for message in messages():
            try:
                sender.sendto(message, (server, 53))
                sender.recv(4096)
            except OSError:
                pass


def ask_tcp(server):
    for port in (53, 853):
        try:
            with socket.create_connection((server, port), 2) as stream:
                stream.settimeout(2)
                stream.sendall(b"".join(struct.pack("!H", len(message)) + message for message in messages()))
                stream.recv(65536)
        except OSError:
            pass


threads = [threading.Thread(target=action, args=(server,)) for server in sys.argv[2:] for action in (ask_udp, ask_tcp)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
