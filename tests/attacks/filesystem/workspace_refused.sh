#!/usr/bin/env bash
# SECURITY "refused when it is or contains": the home, belljar's own directories and program, system directories; also by
# another name of the same place.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
mkdir -p "$XDG_STATE_HOME/belljar" "$XDG_CONFIG_HOME/belljar" "$HOME/project" "$HOME/.ssh"
ln -s "$HOME" "$TEST_DIR/link"
ln -s "$TEST_DIR" "$HOME/up"
count=0
refused() {
    local code=0
    "$BELLJAR" run --jar "refused-$((++count))" "$@" -- true </dev/null >"$TEST_DIR/out" 2>&1 || code=$?
    [ "$code" -eq 125 ] || { cat "$TEST_DIR/out" >&2; fail "$* in $PWD: exit code $code instead of a refusal"; }
    [ -s "$TEST_DIR/out" ] || fail "$*: no reason is given"
}
for place in "$HOME" "$HOME/" "$HOME/." "$HOME/project/.." "$TEST_DIR" "$TEST_DIR/link" "$HOME/up" / /home /root /etc /usr /usr/bin /proc /proc/self/root /dev /sys /run /tmp /var /var/tmp \
    "$XDG_STATE_HOME" "$XDG_STATE_HOME/belljar" "$XDG_CONFIG_HOME/belljar" "$XDG_CONFIG_HOME" "$(dirname "$(realpath "$BELLJAR")")"; do
    [ ! -d "$place" ] || refused --workspace "$place"
done
cd "$HOME/project"
refused --workspace /proc/self/cwd/..
refused --workspace ..
# The working directory stands for the workspace where none is named.
for place in "$HOME" /; do
    cd "$place"
    refused
done
"$BELLJAR" run --jar fine --workspace "$HOME/project" -- touch "$HOME/project/started" </dev/null  # the control
assert_file "$HOME/project/started"

# Directories of belljar's own, and the home, that are links to where they really are.
real="$TEST_DIR/real"
mkdir -p "$real/state/belljar" "$real/home/project"
XDG_STATE_HOME="$TEST_DIR/state-link" HOME="$TEST_DIR/home-link"
ln -s "$real/state" "$XDG_STATE_HOME"
ln -s "$real/home" "$HOME"
cd "$TEST_DIR"
for place in "$real/state" "$real/state/belljar" "$real/home" "$real"; do refused --workspace "$place"; done
