#!/usr/bin/env bash
# I11: a jar's processes look for the sockets of keepers, their own and another's, by every path and name, to attach, run or stop;
# and one that got at the socket all the same, with the user's very uid, is refused by its user namespace.
source "$(dirname "${BASH_SOURCE[0]}")/../own_sockets.sh"
state="$XDG_STATE_HOME/belljar/jars"
socket="$state/$VICTIM/keeper.sock"
status=0106
start_victim
wait_for 5 test -S "$socket"
attack_socket $status "$socket" keeper.sock "$state/$ATTACKER/keeper.sock"
refused_by_namespace $status "$socket"
kill -0 "$VICTIM_PID" || fail "the victim's belljar was ended"
wait_for 5 sh -c "'$BELLJAR' log $VICTIM --limit 1000 | grep -q 'a command was refused'"
end_jars
