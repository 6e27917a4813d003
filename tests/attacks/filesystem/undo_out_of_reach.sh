#!/usr/bin/env bash
# I13: from inside, whatever is tried, the workspace as it stood comes back: the checkpoints can't be reached, traps laid for whoever
# saves or restores lead nowhere, and nothing outside the workspace is read into a checkpoint or written by an undo.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
make_repository "$WORKSPACE"
mkdir -p src closed
echo mine > src/main.c
mkdir wide  # between seeing "src" and walking into it, many others are looked at: room for an exchange
for n in {1..3000}; do echo "$n" > "wide/z$n"; done
mv wide/* .
rmdir wide
echo kept > closed/file
mkdir "$HOME/outside"
echo precious > "$HOME/outside/file"
chmod 600 "$HOME/outside/file"
snapshot() { (cd "$WORKSPACE" && find . -printf '%p %y %m %l %s %TY%Tm%Td%TT\n' | sort; find . -type f -exec sha256sum {} + | sort); }
snapshot > "$TEST_DIR/before"
outside() { stat -c '%n %a %s %Y' "$HOME/outside" "$HOME/outside/file"; cat "$HOME/outside/file"; ls -A "$HOME/outside"; }
outside > "$TEST_DIR/outside"
store="$XDG_STATE_HOME/belljar/jars/$JAR/undo"
undo() { timeout 60 "$BELLJAR" undo "$JAR" --yes "$@" >"$TEST_DIR/undo.out" 2>"$TEST_DIR/undo.err" || { cat "$TEST_DIR"/undo.* >&2; fail "the undo failed"; }; }
assert_undone() {
    undo "$@"
    snapshot > "$TEST_DIR/after"
    diff "$TEST_DIR/before" "$TEST_DIR/after" >&2 || fail "the workspace is not as it was"
    outside | diff "$TEST_DIR/outside" - >&2 || fail "something outside was touched"
}

# It looks for the store by its path and by every process's root.
attack_shell "ls -la '$store' '$XDG_STATE_HOME'; for p in /proc/[0-9]*; do ls \"\$p/root$store\" && echo REACHED; done; rm -rf '$store'; true"
assert_lacks "$(cat "$TEST_DIR/attack.out")" REACHED
assert_file "$store/refs/checkpoints/1"

# Directories become links that lead out, files become FIFOs, directories, links and closed; names are odd; trees are deep.
attack_shell "rm -rf src closed; ln -s '$HOME/outside' src; ln -s /proc/self closed; rm file.txt; mkfifo file.txt
    mkdir -p .git/objects; mkdir deep; cd deep; for n in \$(seq 300); do mkdir d; cd d; done"
assert_undone
attack_shell "printf 'x' > \"\$(printf 'a\\nb')\"; mkdir -p '.GIT' 'x/.git/hooks' '.git ' '%2egit'; echo evil > x/.git/config; ln -s . loop; mkdir locked; echo 1 > locked/f; chmod 000 locked"
assert_undone

# Its own settings for git, ignore rules and hooks change nothing of what is saved, and run nowhere.
attack_shell "echo '*' > .gitignore; printf '* filter=evil\n' > .gitattributes; printf '[filter \"evil\"]\n\tclean = touch $CANARY\n' > .belljar; echo changed > src/main.c
    printf '[undo]\nkeep = \"1s\"\nsize = \"1\"\n' > belljar.toml"
"$BELLJAR" checkpoint "$JAR" >/dev/null
assert_no_file "$CANARY"
assert_undone --to 1

# While it saves: a directory is a link every other moment. Nothing that stands outside may be in any checkpoint.
cat > swap.py <<'CODE'
import os, sys
os.symlink(sys.argv[1], "link")
print("ready", flush=True)
while True:
    os.rename("src", "src2"); os.rename("link", "src"); os.rename("src", "link"); os.rename("src2", "src")
CODE
start_jar "exec python3 swap.py '$HOME/outside'"
wait_for 10 grep -q ready "$TEST_DIR/$JAR.out"
for _ in {1..25}; do "$BELLJAR" checkpoint "$JAR" >/dev/null 2>&1 || fail "a checkpoint failed"; done
end_jars
git --git-dir="$store" log --all --format= -p > "$TEST_DIR/all"
grep -q '^+mine' "$TEST_DIR/all" || fail "the control: what is in the workspace is not in a checkpoint either"
if grep -q precious "$TEST_DIR/all"; then fail "a file of the host is in a checkpoint"; fi
assert_undone --to 1

# Old checkpoints are not washed away by many new ones: they are bounded by time and size, not by number.
for n in {1..25}; do attack_shell "echo $n > counter"; done
"$BELLJAR" undo "$JAR" --list | awk '{print $1}' | grep -qx 1 || fail "the first checkpoint is gone"
assert_undone --to 1
git --git-dir="$store" fsck --strict --no-dangling >/dev/null 2>&1 || fail "the store is broken"
