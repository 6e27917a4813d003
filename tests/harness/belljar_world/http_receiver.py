"""HTTP/1.1 over plain TCP or TLS, written out by hand so that every byte is recorded as it came.

A receiver hands each request to its *site*: site(request, answer). The standard site has the paths /echo /sse /big /chunked
/redirect /status /slow /hang /close /conflicting; any other path answers 200 and the receiver's name.
"""
import hashlib
import json
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

from .recording import readable

HEAD_LIMIT = 256 * 1024
BODY_LIMIT = 256 * 1024 * 1024
IDLE_TIMEOUT = 30  # seconds


@dataclass
class Request:
    method: str
    target: str
    version: str
    headers: list
    body: bytes = b""
    name: str = ""
    query: dict = field(default_factory=dict)
    path: str = "/"

    def header(self, wanted, default=""):
        return next((value for name, value in self.headers if name.lower() == wanted), default)

    def number(self, key, default):
        return int(self.query.get(key, [default])[0])


class Connection:
    """Buffered reading that records; the answers of one connection."""

    def __init__(self, stream, recorder):
        self.stream, self.recorder, self.buffer = stream, recorder, b""
        self.keep, self.head_only = True, False

    def fill(self):
        data = self.stream.recv(65536)
        if data:
            self.recorder.received(data)
            self.buffer += data
        return bool(data)

    def until(self, mark, limit):
        while mark not in self.buffer:
            if len(self.buffer) > limit:
                raise ValueError("head too long")
            if not self.fill():
                return None
        found, _, self.buffer = self.buffer.partition(mark)
        return found

    def exactly(self, count):
        if count > BODY_LIMIT:
            raise ValueError("body too long")
        parts, have = [self.buffer], len(self.buffer)
        while have < count:
            data = self.stream.recv(65536)
            if not data:
                raise ValueError("cut short")
            self.recorder.received(data)
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self.buffer = whole[count:]
        return whole[:count]

    def read_request(self):
        head = self.until(b"\r\n\r\n", HEAD_LIMIT)
        if head is None:
            return None
        lines = head.decode("latin-1").split("\r\n")
        method, target, version = lines[0].split(" ", 2)
        headers = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:]]
        parts = urlsplit(target)
        request = Request(method, target, version, headers, path=unquote(parts.path), query=parse_qs(parts.query))
        if request.header("expect").lower() == "100-continue":
            self.stream.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in request.header("transfer-encoding").lower():
            request.body = self.read_chunked()
        elif request.header("content-length"):
            request.body = self.exactly(int(request.header("content-length")))
        self.head_only = method == "HEAD"
        self.keep = request.header("connection").lower() != "close" and version == "HTTP/1.1"
        return request

    def read_chunked(self):
        parts = []
        while size := int(self.until(b"\r\n", 1024).split(b";")[0], 16):
            parts.append(self.exactly(size))
            self.exactly(2)
        while self.until(b"\r\n", HEAD_LIMIT):
            pass  # trailers are in the bytes
        return b"".join(parts)

    def answer(self, status, body=b"", headers=(), reason="OK"):
        head = [f"HTTP/1.1 {status} {reason}", f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in headers)]
        self.stream.sendall("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + (b"" if self.head_only else body))

    def start_chunks(self, headers=()):
        head = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *(f"{name}: {value}" for name, value in headers)]
        self.stream.sendall("\r\n".join(head).encode("latin-1") + b"\r\n\r\n")

    def chunk(self, data):
        self.stream.sendall(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def standard_site(request, connection):
    path = request.path
    if path == "/echo":
        seen = {"method": request.method, "target": request.target, "headers": request.headers, "body": readable(request.body), "bytes": len(request.body)}
        connection.answer(200, json.dumps(seen).encode(), [("Content-Type", "application/json")])
    elif path == "/sse":
        connection.start_chunks([("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache")])
        for number in range(request.number("n", 5)):
            connection.chunk(f"data: event {number} at {time.time():.3f}\n\n".encode())
            time.sleep(request.number("ms", 200) / 1000)
        connection.chunk(b"")
    elif path == "/big":
        send_big(request, connection)
    elif path == "/chunked":
        connection.start_chunks([("Content-Type", "application/octet-stream")])
        for at in range(0, request.number("bytes", 100000), 10000):
            connection.chunk(b"x" * min(10000, request.number("bytes", 100000) - at))
        connection.chunk(b"")
    elif path == "/redirect":
        connection.answer(302, b"", [("Location", request.query.get("to", ["/"])[0])], reason="Found")
    elif path == "/status":
        connection.answer(request.number("code", 500), b"as asked\n", reason="As Asked")
    elif path == "/slow":
        time.sleep(request.number("ms", 1000) / 1000)
        connection.answer(200, b"slow\n")
    elif path == "/hang":
        time.sleep(IDLE_TIMEOUT)
        connection.keep = False
    elif path == "/close":
        connection.keep = False
    elif path == "/conflicting":
        connection.stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 9\r\n\r\nabcdefghi")
        connection.keep = False
    else:
        connection.answer(200, f"hello from {request.name}\n".encode(), [("Content-Type", "text/plain")])


def send_big(request, connection):
    total, block = request.number("bytes", 1 << 20), b"x" * 65536
    connection.stream.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {total}\r\n\r\n".encode())
    for at in range(0, total, len(block)):
        connection.stream.sendall(block[:total - at])


class HttpReceiver:
    def __init__(self, name, recorder, certificate=None, site=standard_site):
        self.name, self.recorder, self.site = name, recorder, site
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate + ".crt", certificate + ".key")
            self.context.set_alpn_protocols(["http/1.1"])
            self.context.sni_callback = self.note_name

    @staticmethod
    def note_name(stream, server_name, _context):
        stream.asked_name = server_name

    def start(self, address, port, tls):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        server = socket.create_server((address, port), family=family, backlog=128)
        threading.Thread(target=self.accept_forever, args=(server, f"{address} {port}", tls), daemon=True).start()

    def accept_forever(self, server, where, tls):
        while True:
            connection, peer = server.accept()
            self.recorder.event("connection", where=where, peer=str(peer), tls=tls)
            threading.Thread(target=self.serve, args=(connection, where, tls), daemon=True).start()

    def serve(self, raw, where, tls):
        raw.settimeout(IDLE_TIMEOUT)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            stream = self.context.wrap_socket(raw, server_side=True) if tls else raw
        except OSError as error:  # ssl.SSLError is one
            self.recorder.event("tls-failed", where=where, reason=str(error))
            raw.close()
            return
        name = getattr(stream, "asked_name", None)
        if tls:
            self.recorder.event("tls", where=where, name=name, version=stream.version(), alpn=stream.selected_alpn_protocol())
        with stream:
            try:
                self.exchange(Connection(stream, self.recorder), where, name)
            except (OSError, ValueError, AttributeError) as error:
                self.recorder.event("broken", where=where, reason=f"{type(error).__name__}: {error}")

    def exchange(self, connection, where, sni):
        while connection.keep:
            request = connection.read_request()
            if request is None:
                return
            request.name = self.name
            self.recorder.event(
                "request", where=where, sni=sni, host=request.header("host"), method=request.method, target=request.target,
                headers=request.headers, bytes=len(request.body), sha256=hashlib.sha256(request.body).hexdigest(), body=readable(request.body))
            self.site(request, connection)
