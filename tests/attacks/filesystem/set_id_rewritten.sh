#!/usr/bin/env bash
# I8: a set-id program that stood in root's workspace (a tree that is built or unpacked there) gets other content. The kernel takes
# the bits away at a write, but not at one through a mapping.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
[ "$(id -u)" = 0 ] || skip "what an ordinary user's programs may do, its jar may"
mkdir -p tree/usr/bin
cp /bin/true tree/usr/bin/su
cp /bin/true tree/usr/bin/plain
chmod 4755 tree/usr/bin/su
cat > rewrite.py <<'CODE'
import mmap, os, sys
for path in sys.argv[1:]:
    try:
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory: memory[100:104] = b"EVIL"
    except OSError as error: print(path, error)
    try: os.replace(path, path + ".aside")
    except OSError as error: print(path, error)
CODE
cp tree/usr/bin/su "$TEST_DIR/control" && chmod 4755 "$TEST_DIR/control"
python3 rewrite.py "$TEST_DIR/control"  # the control: the bit stays
assert_equal "$(stat -c %a "$TEST_DIR/control.aside") $(cmp -s "$TEST_DIR/control.aside" /bin/true || echo changed)" "4755 changed"
attack python3 rewrite.py tree/usr/bin/su tree/usr/bin/plain
assert_same_file tree/usr/bin/su /bin/true
assert_no_file tree/usr/bin/plain  # what isn't privileged is the jar's
