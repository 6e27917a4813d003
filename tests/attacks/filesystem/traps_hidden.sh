#!/usr/bin/env bash
# I7: ways to keep a planted file off the list that belljar shows: among many others, deep down, under a name that plays with the
# terminal, in a folder that can't be entered. What isn't listed must at least be said to be more.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
export BELLJAR JAR CANARY
planted='mkdir -p "$place/.vscode" && echo "{\"tasks\": []}" > "$place/.vscode/tasks.json"'
told() { tail -n +1 "$TEST_DIR/attack.err"; }
attack_shell "for i in \$(seq 100 800); do place=a\$i; $planted; done; place=zzz; $planted"
assert_matches "$(told)" 'and [0-9]+ more|zzz' "many traps"
rm -rf ./*
attack_shell "place=. ; for i in \$(seq 90); do mkdir -p d; cd d; done; $planted"
assert_matches "$(told)" 'd/d/d|look|deep|large' "a deep trap"
rm -rf ./*
attack_shell "place=\$'ordinary\\e[2K\\e[1A\\rnothing\\n  here'; $planted; place=\$'\\u202egnp.egami'; $planted"
told | grep -q tasks.json || fail "a trap under an odd name is not named"
for character in $'\033' $'\r' $'\u202e'; do if told | grep -q "$character"; then fail "a name on the list plays with the terminal"; fi; done
[ "$(told | wc -l)" -le 4 ] || { told >&2; fail "a name made lines of its own"; }
rm -rf ./*
# A folder that can be entered but not listed is enough for git.
trap_setting='git config core.fsmonitor "touch $CANARY; false"'
for closed in .git .git/hooks . ; do
    attack env CANARY="$CANARY" bash -c "git init -q closed; cd closed; $trap_setting; printf '#!/bin/sh\ntouch $CANARY\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit; chmod 111 $closed"
    told | grep -q closed || { told >&2; fail "a folder that can't be listed is not named: closed/$closed"; }
    (cd closed && git status >/dev/null 2>&1) || true
    assert_file "$CANARY"  # the control
    chmod -R u+rwx .
    rm -rf closed "$CANARY"
done
# What is mounted below the workspace is shown in an ordinary user's jar, and so is guarded and looked through.
mkdir mounted
unshare --user --map-root-user --mount bash -c '
    mount -t tmpfs tmpfs mounted && git init -q mounted/before &&
    unshare --user --map-user=1000 --map-group=1000 "$BELLJAR" run --jar "$JAR-mounted" -- env CANARY="$CANARY" bash -c "$1"
    cd mounted/before && git status >/dev/null' bash "git init -q mounted/nested; cd mounted/nested; $trap_setting; cd ../before; $trap_setting" >/dev/null 2>"$TEST_DIR/attack.err" </dev/null
told | grep -q mounted/nested || { told >&2; fail "a repository on another mount is not named"; }
assert_no_file "$CANARY"
