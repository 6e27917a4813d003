"""The DNS server of the world, UDP and TCP: answers from the tables of addresses.py and records every query."""
import socket
import struct
import threading
import time

from . import addresses

TYPE_A, TYPE_CNAME, TYPE_AAAA = 1, 5, 28
TYPE_NAMES = {1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA", 33: "SRV", 65: "HTTPS", 255: "ANY"}
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
TTL = 30  # seconds; rebinding names have 0
UDP_LIMIT = 4096


def parse_question(message):
    """(name in lower case, type, end of the question); raises on anything that is not one plain question."""
    if len(message) < 12 or struct.unpack_from("!H", message, 4)[0] != 1:
        raise ValueError("not one question")
    labels, at = [], 12
    while message[at]:
        length = message[at]
        if length > 63:
            raise ValueError("compressed question")
        labels.append(message[at + 1:at + 1 + length].decode("latin-1"))
        at += 1 + length
    kind, _ = struct.unpack_from("!HH", message, at + 1)
    return ".".join(labels).lower(), kind, at + 5


def encode_name(name):
    return b"".join(bytes([len(label)]) + label.encode("latin-1") for label in name.split(".")) + b"\0"


class Zone:
    def __init__(self):
        self.turns = {}
        self.lock = threading.Lock()

    def lookup(self, table, name):
        if name in table:
            return table[name]
        parent = name.partition(".")[2]
        while parent:
            if "*." + parent in table:
                return table["*." + parent]
            parent = parent.partition(".")[2]
        return None

    def rebinding(self, name):
        answers = addresses.REBINDING[name]
        with self.lock:
            turn = self.turns.get(name, 0)
            self.turns[name] = turn + 1
        return answers[min(turn, len(answers) - 1)]

    def resolve(self, name, kind):
        """(response code, [(owner, type, ttl, data)])"""
        if name in addresses.SERVFAIL:
            return SERVFAIL, []
        if name in addresses.REFUSED:
            return REFUSED, []
        records, owner = [], name
        if name in addresses.CNAME_RECORDS:
            owner = addresses.CNAME_RECORDS[name]
            records.append((name, TYPE_CNAME, TTL, encode_name(owner)))
        if owner in addresses.REBINDING:
            found = self.rebinding(owner) if kind == TYPE_A else []
            return NOERROR, records + [(owner, TYPE_A, 0, socket.inet_pton(socket.AF_INET, entry)) for entry in found]
        a, aaaa = self.lookup(addresses.A_RECORDS, owner), self.lookup(addresses.AAAA_RECORDS, owner)
        if a is None and aaaa is None:
            return NXDOMAIN, records
        if kind == TYPE_A:
            records += [(owner, TYPE_A, TTL, socket.inet_pton(socket.AF_INET, entry)) for entry in a or []]
        if kind == TYPE_AAAA:
            records += [(owner, TYPE_AAAA, TTL, socket.inet_pton(socket.AF_INET6, entry)) for entry in aaaa or []]
        return NOERROR, records


class DnsServer:
    def __init__(self, address, recorder):
        self.address, self.recorder, self.zone = address, recorder, Zone()

    def answer(self, message, transport):
        """The whole response, or None where none is to be sent."""
        try:
            name, kind, end = parse_question(message)
        except (ValueError, IndexError, struct.error) as error:
            self.recorder.event("malformed", transport=transport, reason=str(error), bytes=message.hex())
            return None
        self.recorder.event("query", transport=transport, name=name, type=TYPE_NAMES.get(kind, str(kind)))
        if name in addresses.SILENT:
            return None
        time.sleep(addresses.SLOW.get(name, 0))
        truncated = transport == "udp" and name in addresses.TRUNCATED
        code, records = (NOERROR, []) if truncated else self.zone.resolve(name, kind)
        flags = 0x8180 | code | (0x0200 if truncated else 0)
        response = message[:2] + struct.pack("!HHHHH", flags, 1, len(records), 0, 0) + message[12:end]
        for owner, record_type, ttl, data in records:
            response += encode_name(owner) + struct.pack("!HHIH", record_type, 1, ttl, len(data)) + data
        return response

    def serve_datagram(self, server, message, peer):
        response = self.answer(message, "udp")
        if response:
            server.sendto(response, peer)

    def serve_udp(self, server):
        while True:
            message, peer = server.recvfrom(UDP_LIMIT)
            threading.Thread(target=self.serve_datagram, args=(server, message, peer), daemon=True).start()

    def serve_connection(self, connection):
        with connection, connection.makefile("rb") as stream:
            connection.settimeout(10)
            while True:
                head = stream.read(2)
                if len(head) < 2:
                    return
                response = self.answer(stream.read(struct.unpack("!H", head)[0]), "tcp")
                if response is None:
                    return
                connection.sendall(struct.pack("!H", len(response)) + response)

    def serve_tcp(self, server):
        while True:
            connection, _ = server.accept()
            threading.Thread(target=self.serve_connection, args=(connection,), daemon=True).start()

    def start(self):
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind((self.address, 53))
        tcp = socket.create_server((self.address, 53), backlog=64)
        threading.Thread(target=self.serve_udp, args=(udp,), daemon=True).start()
        threading.Thread(target=self.serve_tcp, args=(tcp,), daemon=True).start()
