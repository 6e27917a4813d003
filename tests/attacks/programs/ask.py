#!/usr/bin/env python3
"""Asks a socket of belljar's own for an answer: ask.py REQUEST [--look NAME…] PLACE…

REQUEST is the message in hexadecimal. With --look, whatever has one of the names (up to the next word that begins with /) in its own is
asked, too, wherever a jar sees it."""
import os
import socket
import sys


def ask(path, request):
    """The first answer, if there is any."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(3)
    folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
    connection.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    connection.send(request)
    return connection.recv(65536)


request, places = bytes.fromhex(sys.argv[1]), sys.argv[2:]
if places[0] == "--look":
    del places[0]
    wanted = [place for place in places if not place.startswith("/")]
    places = [place for place in places if place.startswith("/")]
    for folder, names, files in os.walk("/"):
        names[:] = [name for name in names if folder != "/" or name not in ("proc", "usr", "sys")]
        places += [os.path.join(folder, name) for name in files + names if any(part in name for part in wanted)]
for place in places:
    try:
        print("ANSWERED" if ask(place, request) else "silent", place)
    except OSError as error:
        print("refused", place, error.errno)
for line in open("/proc/net/unix"):
    if "belljar" in line or "keeper" in line:
        print("SEEN", line)
