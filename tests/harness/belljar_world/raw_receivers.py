"""Receivers that speak no protocol: they take what comes, record it, and answer "got N bytes" to datagrams and connections."""
import socket
import struct
import threading

from .recording import readable

CONNECTION_TIMEOUT = 20  # seconds without a byte
ETH_P_ALL = 3


def serve_connection(connection, peer, where, recorder):
    total = 0
    with connection:
        connection.settimeout(CONNECTION_TIMEOUT)
        try:
            while data := connection.recv(65536):
                total += len(data)
                recorder.received(data)
                recorder.event("bytes", where=where, data=readable(data))
                connection.sendall(f"got {len(data)} bytes\n".encode())
        except OSError as error:
            recorder.event("broken", where=where, reason=str(error))
    recorder.event("closed", where=where, bytes=total)


def accept_forever(server, where, recorder):
    while True:
        connection, peer = server.accept()
        recorder.event("connection", where=where, peer=str(peer))
        threading.Thread(target=serve_connection, args=(connection, peer, where, recorder), daemon=True).start()


def receive_forever(server, where, recorder):
    while True:
        data, peer = server.recvfrom(65536)
        recorder.received(data)
        recorder.event("datagram", where=where, peer=str(peer), data=readable(data))
        server.sendto(f"got {len(data)} bytes\n".encode(), peer)


def open_socket(address, protocol, port):
    if protocol == "unix":
        server = socket.socket(socket.AF_UNIX)
        server.bind("\0" + address[1:])
        server.listen()
        return server
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, port))
    if protocol == "tcp":
        server.listen(64)
    return server


def start(places, recorder):
    for address, protocol, port in places:
        loop = receive_forever if protocol == "udp" else accept_forever
        where = f"{protocol} {address} {port}"
        threading.Thread(target=loop, args=(open_socket(address, protocol, port), where, recorder), daemon=True).start()


class Wire:
    """Records each new flow that arrives over the cable, whatever its protocol: the last word on what left the host."""

    FLOWS_LIMIT = 10000

    def __init__(self, interface, recorder):
        self.recorder, self.seen = recorder, set()
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        self.socket.bind((interface, ETH_P_ALL))
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            packet, origin = self.socket.recvfrom(2048)
            if origin[2] == socket.PACKET_OUTGOING:
                continue
            flow = self.flow_of(packet, origin[1])
            if flow and flow not in self.seen and len(self.seen) < self.FLOWS_LIMIT:
                self.seen.add(flow)
                self.recorder.event("flow", protocol=flow[0], source=flow[1], target=flow[2], port=flow[4])

    @staticmethod
    def flow_of(packet, ethertype):
        try:
            if ethertype == 0x0800:
                header, protocol = (packet[0] & 15) * 4, packet[9]
                source, target = (socket.inet_ntop(socket.AF_INET, packet[at:at + 4]) for at in (12, 16))
            elif ethertype == 0x86DD:
                header, protocol = 40, packet[6]
                source, target = (socket.inet_ntop(socket.AF_INET6, packet[at:at + 16]) for at in (8, 24))
                if protocol == 0 or (protocol == 58 and 130 <= packet[40] <= 143):
                    return None  # neighbour and multicast upkeep of the link itself
            elif ethertype == 0x0806:
                return None
            else:
                return (f"ethertype {ethertype:#06x}", "", "", 0, 0)
            name = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmpv6"}.get(protocol, f"ip protocol {protocol}")
            ports = struct.unpack_from("!HH", packet, header) if protocol in (6, 17) else (0, 0)
            return (name, source, target, *ports)
        except (IndexError, struct.error):
            return ("malformed", "", "", 0, 0)
