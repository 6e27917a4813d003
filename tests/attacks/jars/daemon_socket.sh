#!/usr/bin/env bash
# I11: a jar's processes look for belljard's socket by every path and name, to learn of other jars; and one that got at the socket all
# the same, with the user's very uid, is refused by its user namespace.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
place="$XDG_STATE_HOME/belljar/daemon"
cat > ask.py <<'CODE'
import os, socket, sys
def ask(path):
    """Asks for all jars; the first answer, if there is any."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(3)
    folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
    connection.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    connection.send(b"\x01\x00")
    return connection.recv(65536)
places = sys.argv[1:]
if places[0] == "look":
    del places[0]
    for folder, names, files in os.walk("/"):
        names[:] = [name for name in names if folder != "/" or name not in ("proc", "usr", "sys")]
        places += [os.path.join(folder, name) for name in files + names if "belljard" in name or "registry.sqlite" in name]
for place in places:
    try:
        answer = ask(place)
        print("ANSWERED" if answer else "silent", place)
    except OSError as error: print("refused", place, error.errno)
for line in open("/proc/net/unix"):
    if "belljar" in line: print("SEEN", line)
CODE
JAR="victim-$$"
start_jar 'touch started; exec sleep 60'
wait_for 20 test -e started
"$BELLJAR" ls >/dev/null
wait_for 5 test -S "$place/belljard.sock"
victim=$JAR_PID
# From another jar of this user, and from one that runs beside it.
JAR="attacker-$$"
WORKSPACE="$TEST_DIR/second"
mkdir "$WORKSPACE"
cp ask.py "$WORKSPACE/"
attack python3 ask.py look "$place/belljard.sock"
for out in "$(cat "$TEST_DIR/attack.out")" "$("$BELLJAR" exec "victim-$$" -- python3 ask.py look "$place/belljard.sock")"; do
    for word in ANSWERED SEEN silent registry; do assert_lacks "$out" "$word" "a jar reaches belljard"; done
    assert_contains "$out" "refused $place/belljard.sock"  # the attack ran
done
# A workspace that holds its place is refused.
assert_exit 125 "$BELLJAR" run --workspace "$place" -- true 2>/dev/null
# With the socket within reach and the user's uid, but in a user namespace of its own, as a jar's processes are.
cd "$TEST_DIR/workspace"
assert_contains "$(python3 ask.py "$place/belljard.sock")" "ANSWERED $place"  # the control
for way in "--user" "--user --map-root-user" "--user --map-current-user"; do
    # shellcheck disable=SC2086
    out=$(unshare $way python3 ask.py "$place/belljard.sock")
    assert_lacks "$out" "ANSWERED" "unshare $way"
    assert_contains "$out" " $place/belljard.sock"
done
# Whoever takes over what reads all this holds little: no call that opens a socket or a program, no file but these.
record=$(pgrep -x belljard-record)
assert_matches "$(cat "/proc/$record/status")" $'NoNewPrivs:\t1'
assert_matches "$(cat "/proc/$record/status")" $'Seccomp:\t2'
assert_matches "$(cat "/proc/$record/status")" $'CapEff:\t0000000000000000'
# What is no request costs nobody but who says it.
python3 - "$place" <<'CODE'
import os, socket, sys
folder = os.open(sys.argv[1], os.O_PATH | os.O_DIRECTORY)
for message in (b"\x01\xff", b"\x01", b"\x01\x00" + b"x" * 60000, os.urandom(4000)):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(3)
    connection.connect(f"/proc/self/fd/{folder}/belljard.sock")
    connection.send(b"\x01" + message[1:])
    while connection.recv(65536): pass
CODE
assert_contains "$("$BELLJAR" ls 2>&1)" "victim-$$"
kill -0 "$victim" || fail "the victim's belljar was ended"
end_jars
