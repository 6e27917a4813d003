#!/usr/bin/env bash
# F11, peers-vendors 2.8: a nested user namespace detaches a sandbox's mounts and so uncovers what they protect.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
program nested_namespaces
mv nested_namespaces "$TEST_DIR/"
text="[core]
	fsmonitor = \"touch $CANARY; false\"
"
# The control: where namespaces nest, the chain uncovers a file that a read-only mount protects.
make_repository "$TEST_DIR/control"
unshare --user --map-root-user --mount bash -c '
    mount --bind "$1/.git/config" "$1/.git/config" && mount -o remount,bind,ro "$1/.git/config" && ! touch "$1/.git/config" 2>/dev/null &&
    "$2" "$1/.git" config "$3"' bash "$TEST_DIR/control" "$TEST_DIR/nested_namespaces" "$text" 2>/dev/null || true
use_git "$TEST_DIR/control"
assert_file "$CANARY"
rm -f "$CANARY"

make_repository "$TEST_DIR/project"
WORKSPACE="$TEST_DIR/project"
cd "$WORKSPACE"
cp "$TEST_DIR/nested_namespaces" .
cp .git/config "$TEST_DIR/config-before"
attack_shell "./nested_namespaces .git config '$text'; ./nested_namespaces \"\$PWD/.git\" config '$text'; ./nested_namespaces .git/hooks post-commit '#!/bin/sh
touch $CANARY'"
assert_same_file .git/config "$TEST_DIR/config-before"
assert_no_file .git/hooks/post-commit
assert_no_file .git/aside
use_git "$WORKSPACE"
assert_no_file "$CANARY"
