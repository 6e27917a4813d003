#!/usr/bin/env bash
# K3, K4, I8: system calls that a jar has no use for and that open the kernel. The probe is ours and tells what the kernel
# answered; its control runs without a jar.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
program system_calls
name=$(uname -n) mounts=$(sort /proc/self/mounts)
attack ./system_calls
assert_equal "$(cat "$TEST_DIR/attack.out")" "" "system calls that reached the kernel"
assert_equal "$(uname -n)" "$name"
assert_equal "$(sort /proc/self/mounts)" "$mounts"

# The control: with namespaces of its own, as an ordinary user can have them, much of this is carried out.
unshare --user --map-root-user --mount --net --uts --pid --fork ./system_calls > "$TEST_DIR/control" 2>/dev/null || true
for call in "unshare user" "clone net" "mount tmpfs" "SYS_sethostname" "netlink 12" "raw socket"; do
    assert_contains "$(cat "$TEST_DIR/control")" "$call" "the probe does nothing"
done
