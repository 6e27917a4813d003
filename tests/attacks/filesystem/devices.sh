#!/usr/bin/env bash
# F14: device nodes, set-user-id files, kernel switches below /proc and /sys. Switches are only opened for writing, never
# written: the wall may have a hole, and this may be run as root.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
program set_id
cat > switches.py <<'CODE'
import os
for top in ("/proc/sys", "/proc/fs", "/proc/bus", "/proc/irq", "/proc/acpi", "/proc/scsi", "/sys"):
    for folder, _, names in os.walk(top):
        for name in names:
            try: os.close(os.open(os.path.join(folder, name), os.O_WRONLY)); print("WRITABLE", os.path.join(folder, name))
            except OSError: pass
for path in ("/proc/sysrq-trigger", "/proc/kcore", "/proc/kmsg", "/proc/mtrr", "/dev/mem", "/dev/kmsg", "/dev/port", "/proc/latency_stats", "/proc/timer_list"):
    try: os.close(os.open(path, os.O_WRONLY)); print("WRITABLE" if os.stat(path).st_rdev != os.makedev(1, 3) else "NULL", path)
    except OSError: pass
for path in ("/proc/kcore", "/proc/kallsyms", "/proc/keys", "/proc/key-users", "/proc/kmsg", "/proc/config.gz", "/proc/timer_list", "/proc/sched_debug", "/proc/scsi/scsi", "/proc/iomem", "/proc/ioports", "/proc/slabinfo", "/proc/vmallocinfo", "/dev/mem"):
    try:
        words = os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 4096)
        if any(set(line.split()[0]) - set(b"0-:") for line in words.splitlines() if line.split()): print("READABLE", path, words[:60])
    except OSError: pass
for name in os.listdir("/sys"): print("SYS", name)
for name in os.listdir("/dev"): print("DEVICE", name)
CODE
attack_shell '
    mknod null c 1 3; mknod sda b 8 0; mknod kmsg c 1 11; python3 switches.py
    cp /bin/true id-true; chmod u+s,g+s id-true; chmod 6755 id-true; install -m 6755 /bin/true id-installed; tar cf x.tar id-true; ./set_id id
    touch capable; setcap cap_sys_admin+ep capable'
out=$(cat "$TEST_DIR/attack.out")
for word in WRITABLE READABLE 'SYS '; do assert_lacks "$out" "$word" "below /proc, /sys or /dev"; done
for device in $(sed -n 's/^DEVICE //p' <<< "$out"); do
    case $device in console | core | fd | full | mqueue | null | ptmx | pts | random | shm | stderr | stdin | stdout | tty | urandom | zero) ;; *) fail "an unexpected device: /dev/$device" ;; esac
done
assert_contains "$out" "DEVICE null"
assert_equal "$(find "$WORKSPACE" \( -type b -o -type c \) -print)" "" "device nodes in the workspace"
assert_equal "$(find "$WORKSPACE" -perm /6000 -type f -printf '%f ')" "" "set-id files in the workspace, owned by the user of the host"
mkdir "$TEST_DIR/control"
(cd "$TEST_DIR/control" && "$WORKSPACE/set_id" id)  # the control: the file system itself does keep these bits
[ "$(find "$TEST_DIR/control" -perm /6000 | wc -l)" -ge 5 ]
