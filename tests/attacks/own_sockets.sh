# What the attacks on the sockets of belljar's own processes share, sourced instead of lib.sh. A jar is the victim; another one of this
# user, and the victim itself, look for the socket by every path and name.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
VICTIM="victim-$$"
ATTACKER="attacker-$$"

# start_victim: the jar, and $VICTIM_PID.
start_victim() {
    JAR=$VICTIM
    program ask
    start_jar 'touch started; exec sleep 60'
    wait_for 20 test -e started
    VICTIM_PID=$JAR_PID
}
# attack_socket REQUEST SOCKET NAMES [PLACE…]: nothing that a jar finds under these names (words), at the socket or at the other places
# answers, and there is no trace of it.
attack_socket() {
    local out word
    JAR=$ATTACKER
    WORKSPACE="$TEST_DIR/second"
    mkdir "$WORKSPACE"
    program ask
    # shellcheck disable=SC2086
    attack ./ask "$1" --look $3 "$2" "${@:4}"
    # shellcheck disable=SC2086
    for out in "$(cat "$TEST_DIR/attack.out")" "$("$BELLJAR" exec "$VICTIM" -- ./ask "$1" --look $3 "$2")"; do
        for word in ANSWERED SEEN silent; do assert_lacks "$out" "$word" "a jar reaches $2"; done
        assert_contains "$out" "refused $2" # the attack ran
    done
}
# refused_by_namespace REQUEST SOCKET: with the socket within reach and the user's very uid, but in a user namespace of its own, as a jar's
# processes are.
refused_by_namespace() {
    local way out
    cd "$TEST_DIR/workspace"
    assert_contains "$(./ask "$1" "$2")" "ANSWERED $2" # the control
    for way in "--user" "--user --map-root-user" "--user --map-current-user"; do
        # shellcheck disable=SC2086
        out=$(unshare $way ./ask "$1" "$2")
        assert_lacks "$out" "ANSWERED" "unshare $way"
        assert_contains "$out" " $2"
    done
}
