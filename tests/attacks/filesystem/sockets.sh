#!/usr/bin/env bash
# SECURITY "sockets and FIFOs found in a workspace are masked": behind one may be a process of the host (a debugger, a
# development server, an agent), and a jar that shares the folder must not get at it.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
mkdir -p deep/er
cat > "$TEST_DIR/listen.py" <<'CODE'
import os, select, socket, sys
out, servers = open(sys.argv[1], "w", buffering=1), []
for path, kind in (("stream.sock", socket.SOCK_STREAM), ("deep/er/datagram.sock", socket.SOCK_DGRAM), ("deep/packet.sock", socket.SOCK_SEQPACKET)):
    server = socket.socket(socket.AF_UNIX, kind); server.bind(path); servers.append(server); os.chmod(path, 0o777)
    if kind != socket.SOCK_DGRAM: server.listen(64)
os.mkfifo("deep/fifo"); os.chmod("deep/fifo", 0o666); servers.append(os.open("deep/fifo", os.O_RDWR))
out.write("ready\n")
while True:
    for ready in select.select(servers, [], [])[0]:
        if isinstance(ready, int): out.write(f"fifo {os.read(ready, 100)}\n")
        elif ready.type == socket.SOCK_DGRAM: out.write(f"datagram {ready.recv(100)}\n")
        else: ready.accept()[0].close(); out.write("connection\n")
CODE
python3 "$TEST_DIR/listen.py" "$TEST_DIR/heard" &
listener=$!
on_exit() { kill "$listener" 2>/dev/null || true; }
wait_for 5 grep -q ready "$TEST_DIR/heard"
cat > speak.py <<'CODE'
import os, socket
for folder, _, names in os.walk("."):
    for name in names:
        if name.endswith(".sock"):
            for path in (os.path.join(folder, name), "/proc/self/cwd/" + os.path.join(folder, name)):
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
                    try: speaker = socket.socket(socket.AF_UNIX, kind); speaker.connect(path); speaker.send(b"words")
                    except OSError as error: print(path, error)
        if name.startswith("fifo"):
            for mode in (os.O_WRONLY, os.O_RDWR):
                try: os.write(os.open(os.path.join(folder, name), mode | os.O_NONBLOCK), b"words")
                except OSError as error: print(name, error)
CODE
attack_shell 'python3 speak.py; mkdir other; mv stream.sock other/; mv deep moved; ln deep/fifo fifo-second; ln stream.sock third.sock; chmod 777 . deep; python3 speak.py'
sleep 0.2
assert_equal "$(cat "$TEST_DIR/heard")" ready "a process of the host was reached through the workspace"
python3 speak.py >/dev/null  # the control
for word in connection datagram fifo; do wait_for 5 grep -q $word "$TEST_DIR/heard"; done
