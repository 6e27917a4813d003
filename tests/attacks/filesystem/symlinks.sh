#!/usr/bin/env bash
# F9, F13: symbolic and hard links that lead belljar's own work on the host, or a later start, to a file of the host's.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
victim="$TEST_DIR/victim"
mkdir "$victim"
echo precious > "$victim/file"
chmod 755 "$TEST_DIR"
chmod 777 "$victim"
chmod 666 "$victim/file"  # so that only belljar keeps the jar from it
make_repository "$TEST_DIR/project"
WORKSPACE="$TEST_DIR/project"
cd "$WORKSPACE"
sum() { (cd "$victim" && find . -printf '%p %m %U %s\n' | sort && cat file); }
before=$(sum)
# Through links in the workspace.
attack_shell "ln -s $victim out; ln -s $victim/file link; echo planted > link; echo planted > out/new; cp /etc/hostname out/
    ln -s / root; echo planted > root$victim/new; ln $victim/file hard; echo planted > /proc/self/root$victim/new; echo planted > /proc/1/root$victim/new; cat link"
assert_equal "$(sum)" "$before" "a link in the workspace led out"
assert_lacks "$(cat "$TEST_DIR/attack.out")" precious

# Through links where belljar itself makes, masks and removes things between two starts: control files, the jar's home.
attack_shell "rm -rf .git/info .git/modules .git/worktrees; ln -s $victim .git/info; ln -s $victim .git/modules; ln -s $victim .git/worktrees
    ln -s $victim/made .git/commondir; ln -s $victim/made .git/config.worktree; mkdir nested; ln -s $victim nested/.git
    cd; for name in .claude .codex .config .local .cache .ssh .npm; do mv \$name \$name.aside; ln -sn $victim \$name; done
    for name in .claude.json .gitconfig .npmrc .bashrc .profile .netrc; do mv \$name \$name.aside; ln -s $victim/file \$name; done"
attack true
attack_shell "ls -la ~ >/dev/null"
# A profile that puts seeds into the jar's home, with a program of the host's own and its login.
mkdir -p "$HOME/bin" "$HOME/.claude"
printf '#!/bin/sh\necho started\n' > "$HOME/bin/claude"
chmod 755 "$HOME/bin/claude"
echo '{"token":"login"}' > "$HOME/.claude/.credentials.json"
PATH="$HOME/bin:$PATH" ANTHROPIC_API_KEY=sk-ant-attack timeout 20 "$BELLJAR" --jar "$JAR" --use-login claude -p x </dev/null >"$TEST_DIR/claude.out" 2>&1 || true
assert_equal "$(sum)" "$before" "belljar followed a link that a jar had planted"

# While it looks: a name that is a directory now and a link then, changed from within one jar while others start.
start_jar "touch swapping; while true; do mkdir -p swap/.git; mv -T swap aside; ln -sn $victim swap; rm swap; mv -T aside swap; done 2>/dev/null"
wait_for 10 test -e swapping
for _ in 1 2 3 4 5; do "$BELLJAR" run --jar "$JAR-2" -- true </dev/null >/dev/null 2>&1 || true; done
end_jars
assert_equal "$(sum)" "$before" "a swapped link was followed"

# A hard link to a protected file would be a second, unprotected name of it.
config=$(cat .git/config)
cat > link.py <<'CODE'
import os
for source, follow in ((".git/config", True), (".git/config", False), (".git/hooks/pre-commit.sample", True), ("/proc/self/fd/%d" % os.open(".git/config", os.O_RDONLY), True)):
    try:
        os.link(source, "second", follow_symlinks=follow); open("second", "a").write("[alias]\n\tst = !touch planted\n"); os.unlink("second")
    except OSError as error: print(error)
CODE
attack python3 link.py
assert_equal "$(cat .git/config)" "$config" "a second name of .git/config was written through"
# The control: in the workspace links do work.
attack_shell "echo own > real; ln -s real soft; ln real hard2; echo more >> soft; echo again >> hard2"
assert_equal "$(cat real)" "own
more
again"
