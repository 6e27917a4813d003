#!/usr/bin/env bash
# I11: a jar's processes look for belljard's socket by every path and name, to learn of other jars; and one that got at the socket all
# the same, with the user's very uid, is refused by its user namespace.
source "$(dirname "${BASH_SOURCE[0]}")/../own_sockets.sh"
place="$XDG_STATE_HOME/belljar/daemon"
socket="$place/belljard.sock"
list=0100
start_victim
"$BELLJAR" ls >/dev/null
wait_for 5 test -S "$socket"
attack_socket $list "$socket" "belljard registry.sqlite"
assert_lacks "$(cat "$TEST_DIR/attack.out")" registry "a jar sees what belljard notes"
# A workspace that holds its place is refused.
assert_exit 125 "$BELLJAR" run --workspace "$place" -- true 2>/dev/null
refused_by_namespace $list "$socket"
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
assert_contains "$("$BELLJAR" ls 2>&1)" "$VICTIM"
kill -0 "$VICTIM_PID" || fail "the victim's belljar was ended"
end_jars
