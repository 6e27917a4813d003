#!/usr/bin/env bash
# I11: a jar's processes look for the sockets of keepers, their own and another's, by every path and name, to attach, run or stop;
# and one that got at the socket all the same, with the user's very uid, is refused by its user namespace.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
state="$XDG_STATE_HOME/belljar/jars"
cat > ask.py <<'CODE'
import glob, os, socket, sys
def ask(path):
    """Asks for the status; the keeper's answer, if it gives any."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(3)
    folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
    connection.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    connection.send(b"\x01\x06")
    return connection.recv(65536)
places = sys.argv[1:]
if places[0] == "look":
    del places[0]
    for folder, names, files in os.walk("/"):
        names[:] = [name for name in names if folder != "/" or name not in ("proc", "usr", "sys")]
        places += [os.path.join(folder, name) for name in files if name == "keeper.sock"]
for place in places:
    try:
        answer = ask(place)
        print("ANSWERED" if answer else "silent", place)
    except OSError as error: print("refused", place, error.errno)
for line in open("/proc/net/unix"):
    if "keeper" in line: print("SEEN", line)
CODE
JAR="victim-$$"
start_jar 'touch started; exec sleep 60'
wait_for 20 test -e started
wait_for 5 test -S "$state/$JAR/keeper.sock"
victim=$JAR_PID
socket="$state/$JAR/keeper.sock"
# From another jar of this user, and from the victim itself.
JAR="attacker-$$"
WORKSPACE="$TEST_DIR/second"
mkdir "$WORKSPACE"
cp ask.py "$WORKSPACE/"
attack python3 ask.py look "$socket" "$state/$JAR/keeper.sock"
for out in "$(cat "$TEST_DIR/attack.out")" "$("$BELLJAR" exec "victim-$$" -- python3 ask.py look "$socket")"; do
    for word in ANSWERED SEEN silent; do assert_lacks "$out" "$word" "a jar talks to a keeper"; done
    assert_contains "$out" "refused $socket"  # the attack ran
done
# With the socket within reach and the user's uid, but in a user namespace of its own, as a jar's processes are.
cd "$TEST_DIR/workspace"
assert_contains "$(python3 ask.py "$socket")" "ANSWERED $socket"  # the control
for way in "--user" "--user --map-root-user" "--user --map-current-user"; do
    # shellcheck disable=SC2086
    out=$(unshare $way python3 ask.py "$socket")
    assert_lacks "$out" "ANSWERED $socket" "unshare $way"
    assert_contains "$out" " $socket"
done
kill -0 "$victim" || fail "the victim's belljar was ended"
wait_for 5 sh -c "'$BELLJAR' log victim-$$ --limit 1000 | grep -q 'a command was refused'"
end_jars
