#!/usr/bin/env bash
# I8: capabilities on a file. Through a workspace that host root gave to the jar, the kernel stores those that the jar's root sets
# as if host root had set them, and they would count for every user of the host.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
cat > give.py <<'CODE'
import os, struct, sys
revisions = {2: struct.pack("<IIIII", 0x02000001, 1 << 7, 0, 0, 0), 3: struct.pack("<IIIIII", 0x03000001, 1 << 7, 0, 0, 0, 0)}
for number, value in revisions.items():
    open(f"program{number}", "w").close()
    os.chmod(f"program{number}", 0o755)
    try:
        os.setxattr(f"program{number}", "security.capability", value)
    except OSError as error:
        print(number, error)
    os.setxattr(f"program{number}", "user.control", b"set")
CODE
cat > look.py <<'CODE'
import os, sys
print(*sorted(name for path in sys.argv[1:] for name in os.listxattr(path)))
CODE
if [ "$(id -u)" = 0 ]; then  # the control: outside it works
    (mkdir "$TEST_DIR/control" && cd "$TEST_DIR/control" && python3 "$WORKSPACE/give.py" >/dev/null)
    assert_contains "$(python3 look.py "$TEST_DIR"/control/program2)" security.capability
fi
attack python3 give.py
assert_equal "$(python3 look.py program2 program3)" "user.control user.control" "extended attributes of what the jar made"
