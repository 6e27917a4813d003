#!/usr/bin/env python3
"""send_each [FILE]: for each line "HOST PORT NAME BYTES" (of standard input) a connection of its own, many at a time, over which BYTES
go as they are (with escapes as in Python: \\r\\n\\x00). NAME is what TLS asks for; "-": no TLS, "none": TLS without a name."""
import codecs
import concurrent.futures
import socket
import ssl
import sys

PATIENCE = 2  # seconds for an answer


def send(line):
    host, port, name, words = line.rstrip("\n").split(" ", 3)
    try:
        stream = socket.create_connection((host, int(port)), 3)
        if name != "-":
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            stream = context.wrap_socket(stream, server_hostname=None if name == "none" else name)
        stream.settimeout(PATIENCE)
        stream.sendall(codecs.escape_decode(words.encode())[0])
        answer = b""
        while data := stream.recv(65536):
            answer += data
        return answer
    except OSError as error:
        return str(error).encode()


with open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin as file, concurrent.futures.ThreadPoolExecutor(24) as pool:
    lines = file.readlines()
    for line, answer in zip(lines, pool.map(send, lines)):
        print(line.rstrip("\n"), "->", answer[:200])
