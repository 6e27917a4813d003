"""The few rtnetlink requests that lay the world's cable. The socket acts in the namespace in which it was made."""
import os
import socket
import struct

NEWLINK, NEWADDR, NEWROUTE = 16, 20, 24
REQUEST, ACK, EXCL, CREATE = 0x1, 0x4, 0x200, 0x400
IFF_UP = 0x1
IFA_F_NODAD = 0x02  # an address that is usable at once
MAIN_TABLE, PROTOCOL_STATIC, UNICAST = 254, 4, 1


def attribute(kind, payload):
    length = 4 + len(payload)
    return struct.pack("HH", length, kind) + payload + b"\0" * (-length % 4)


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def packed(address):
    return socket.inet_pton(family_of(address), address)


class Netlink:
    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
        self.sequence = 0

    def request(self, kind, flags, body):
        self.sequence += 1
        header = struct.pack("IHHII", 16 + len(body), kind, flags | REQUEST | ACK, self.sequence, 0)
        self.socket.send(header + body)
        answer = self.socket.recv(65536)
        (error,) = struct.unpack_from("i", answer, 16)
        if error:
            raise OSError(-error, f"rtnetlink request {kind}: {os.strerror(-error)}")

    def make_cable(self, name, peer_name, peer_namespace):
        """A veth pair: one end here, the other in the network namespace of the descriptor."""
        peer = struct.pack("BxHiII", 0, 0, 0, 0, 0) + attribute(3, peer_name.encode() + b"\0") + attribute(28, struct.pack("i", peer_namespace))
        info = attribute(1, b"veth\0") + attribute(2, attribute(1, peer))
        body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + attribute(3, name.encode() + b"\0") + attribute(18, info)
        self.request(NEWLINK, CREATE | EXCL, body)

    def bring_up(self, index):
        self.request(NEWLINK, 0, struct.pack("BxHiII", 0, 0, index, IFF_UP, IFF_UP))

    def add_address(self, index, address, prefix):
        body = struct.pack("BBBBI", family_of(address), prefix, IFA_F_NODAD if ":" in address else 0, 0, index)
        self.request(NEWADDR, CREATE | EXCL, body + attribute(2, packed(address)) + attribute(1, packed(address)))

    def add_default_route(self, index, gateway):
        body = struct.pack("BBBBBBBBI", family_of(gateway), 0, 0, 0, MAIN_TABLE, PROTOCOL_STATIC, 0, UNICAST, 0)
        self.request(NEWROUTE, CREATE | EXCL, body + attribute(5, packed(gateway)) + attribute(4, struct.pack("I", index)))
