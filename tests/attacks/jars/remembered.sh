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
assert_equal "$(find "$HOME" -path "$XDG_STATE_HOME" -prune -o -type f -exec grep -l left-canary {} + || true)" "" "the host's home"
# Links and closed folders in its home lead the removal nowhere.
mkdir "$TEST_DIR/victim"
echo precious > "$TEST_DIR/victim/file"
JAR="first-$$"
attack_shell "ln -s $TEST_DIR/victim ~/victim; ln -s / ~/root; mkdir -p ~/closed/in; ln -s $TEST_DIR/victim ~/closed/in/victim; chmod 0 ~/closed/in ~/closed"
"$BELLJAR" rm "first-$$"
assert_equal "$(cat "$TEST_DIR/victim/file")" precious
JAR="first-$$"
attack_shell "$look"
assert_lacks "$(cat "$TEST_DIR/attack.out")" left-canary "a removed jar's files came back"
