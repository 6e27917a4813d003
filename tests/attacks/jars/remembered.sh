#!/usr/bin/env bash
# I9 over time: what one jar leaves (home, temporary files, programs in its PATH) is not there for another jar, also one of the
# same workspace, nor for a new one of the same name after `belljar rm`; nor in the host's home.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
plant='echo left-canary | tee ~/left /tmp/left /dev/shm/left ~/.bashrc ~/.profile ~/.npmrc >/dev/null; mkdir -p ~/.local/bin; printf "#!/bin/sh\necho left-canary\n" > ~/.local/bin/ls; chmod 755 ~/.local/bin/ls'
look='cat ~/left /tmp/left /dev/shm/left ~/.bashrc ~/.profile ~/.npmrc ~/.local/bin/* 2>/dev/null; ls ~'
JAR="first-$$"
attack_shell "$plant"
attack_shell "$look"
assert_contains "$(cat "$TEST_DIR/attack.out")" left-canary  # the control: a jar's home does persist
JAR="second-$$"
attack_shell "$look"
assert_lacks "$(cat "$TEST_DIR/attack.out")" left-canary "a jar has what another left"
assert_equal "$(find "$HOME" -path "$XDG_STATE_HOME" -prune -o -type f -exec grep -l left-canary {} +)" "" "the host's home"
"$BELLJAR" rm "first-$$"
JAR="first-$$"
attack_shell "$look"
assert_lacks "$(cat "$TEST_DIR/attack.out")" left-canary "a removed jar's files came back"
