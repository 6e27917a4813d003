#!/usr/bin/env bash
# N19, N18: nobody outside reaches a server in the jar, and belljar itself opens no port on the host that another local
# process could use as a way through.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
listening() { awk '$4 == "0A" || FILENAME !~ /tcp/ {print FILENAME, $2}' /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 /proc/net/raw /proc/net/raw6 | sort; }
abstract() { awk '$8 ~ /^@/ {print $8}' /proc/net/unix | sort; }
cat > serve.py <<'CODE'
import socket, threading, time
for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
    for port in (8088, 3000):
        server = socket.socket(family)
        if family == socket.AF_INET6: server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        server.bind((address, port)); server.listen()
        threading.Thread(target=lambda s=server: [open("reached", "a").write("x") for _ in iter(s.accept, None)], daemon=True).start()
socket.create_connection(("127.0.0.1", 8088)).close(); time.sleep(0.3)
open("own-reached", "w").write(open("reached").read()); open("reached", "w").close(); open("serving", "w").close()
time.sleep(60)
CODE
before=$(listening) names=$(abstract)
start_jar 'curl -sS -m 5 https://allowed.test/by-name; exec python3 serve.py'
wait_for 20 test -e serving
receiver_got allowed 'GET /by-name'
[ -s own-reached ] || fail "the server in the jar doesn't work"
for address in 127.0.0.1 10.7.0.5 ::1 fd07::5; do
    for port in 8088 3000; do
        if timeout 2 bash -c "exec 3<>/dev/tcp/$address/$port" 2>/dev/null; then fail "the host reaches $address port $port of the jar"; fi
    done
done
[ ! -s reached ] || fail "somebody reached the jar's server"
assert_equal "$(listening)" "$before" "what listens on the host changed"
assert_equal "$(abstract)" "$names" "abstract sockets of the host changed"
end_jars
