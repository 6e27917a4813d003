#!/usr/bin/env bash
# I9: two jars of one user at once. The second can't see or reach the first's files, processes, sockets, servers on loopback,
# shared memory or names, and each has its own authority.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
WORKSPACE="$TEST_DIR/first"
mkdir "$WORKSPACE" "$TEST_DIR/second"
cd "$WORKSPACE"
cat > serve.py <<'CODE'
import os, socket, threading, time
for family, address in ((socket.AF_INET, ("127.0.0.1", 8077)), (socket.AF_INET, ("0.0.0.0", 8076)), (socket.AF_INET6, ("::1", 8077)), (socket.AF_UNIX, "\0jar-one"), (socket.AF_UNIX, "/tmp/one.sock")):
    server = socket.socket(family); server.bind(address); server.listen()
    threading.Thread(target=lambda s=server: [open("reached", "a").write("x") for _ in iter(s.accept, None)], daemon=True).start()
for place in (os.path.expanduser("~/one"), "/tmp/one", "/dev/shm/one", "one"): open(place, "w").write("jar-one-canary")
open("reached", "w").close(); open("serving", "w").close()
time.sleep(60)
CODE
JAR="one-$$"
start_jar 'curl -sS -m 5 https://allowed.test/one >/dev/null; getent hosts evil.test > names; cp /etc/ssl/certs/ca-certificates.crt bundle; ONE=jar-one-canary exec python3 serve.py jar-one-canary'
wait_for 20 test -e serving
receiver_got allowed 'GET /one'

cat > "$TEST_DIR/second/attack.py" <<'CODE'
import glob, os, socket, sys
first, state = sys.argv[1], sys.argv[2]
for family, address in ((socket.AF_INET, ("127.0.0.1", 8077)), (socket.AF_INET, ("127.0.0.1", 8076)), (socket.AF_INET6, ("::1", 8077)), (socket.AF_UNIX, "\0jar-one"), (socket.AF_UNIX, "/tmp/one.sock")):
    try: socket.socket(family).connect(address); print("CONNECTED", address)
    except OSError: pass
for pattern in ("/tmp/*", "/dev/shm/*", os.path.expanduser("~/*"), first + "/*", state + "/*", state + "/*/*/*/*", "/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline", "/proc/[0-9]*/root/tmp/*"):
    for path in glob.glob(pattern):
        if path == f"/proc/{os.getpid()}/cmdline": continue
        try: print(path, open(path, "rb").read(100000))
        except OSError: pass
for folder in (first, state + "/jars"):
    try: print("LISTED", folder, os.listdir(folder))
    except OSError: pass
CODE
WORKSPACE="$TEST_DIR/second"
JAR="two-$$"
attack_shell "python3 attack.py '$TEST_DIR/first' '$XDG_STATE_HOME/belljar'; curl -sS -m 5 https://allowed.test/two >/dev/null; cp /etc/ssl/certs/ca-certificates.crt bundle"
out=$(cat "$TEST_DIR/attack.out")
assert_lacks "$out" jar-one-canary "the second jar reads the first's"
assert_lacks "$out" CONNECTED "the second jar reaches a server of the first's"
assert_lacks "$out" LISTED "the second jar lists the first's files, or belljar's state"
assert_equal "$(cat "$TEST_DIR/first/reached")" "" "the first jar's servers"
receiver_got allowed 'GET /two'
# Each jar has an authority of its own.
own_authority() { comm -13 <(sort -u /etc/ssl/certs/ca-certificates.crt) <(sort -u "$1") | grep -v -- ----; }
[ -n "$(own_authority "$TEST_DIR/first/bundle")" ] || fail "no authority of the jar's own in its bundle"
[ "$(own_authority "$TEST_DIR/first/bundle")" != "$(own_authority "$TEST_DIR/second/bundle")" ] || fail "two jars share an authority"
# An address that one jar was given for a name means nothing in another.
address=$(awk '{print $1; exit}' "$TEST_DIR/first/names")
[ -n "$address" ] || fail "the first jar was given no address"
attack curl -sSk -m 4 --resolve "allowed.test:443:$address" https://allowed.test/by-the-address-of-another
receiver_silent allowed by-the-address-of-another
receiver_silent evil

# The control: within one jar all of that is reached.
rm -f "$TEST_DIR/first/serving"
attack_shell "cp '$TEST_DIR/second/attack.py' /tmp/; mkdir /tmp/first; cd /tmp/first; cat > serve.py <<'CODE'
$(cat "$TEST_DIR/first/serve.py")
CODE
python3 serve.py & until [ -e serving ]; do sleep 0.05; done; python3 ../attack.py /tmp/first /tmp; kill %1"
assert_contains "$(cat "$TEST_DIR/attack.out")" jar-one-canary
assert_contains "$(cat "$TEST_DIR/attack.out")" CONNECTED
end_jars
