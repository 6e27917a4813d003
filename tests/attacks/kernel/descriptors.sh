#!/usr/bin/env bash
# K6, I8: descriptors that belljar was started with (a folder, a file, a socket of the caller's) are not in the jar, nor are
# belljar's own; and standard input, output and error are not the caller's files themselves.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
mkdir "$TEST_DIR/secret"
echo precious > "$TEST_DIR/secret/file"
echo input-words > "$TEST_DIR/input"
cat > look.py <<'CODE'
import os
report = open("report", "w")
for folder in ("/proc/self/fd", f"/proc/{os.getppid()}/fd", "/proc/1/fd"):
    try: names = os.listdir(folder)
    except OSError: continue
    for name in names:
        try: report.write(f"OPEN {folder}/{name} {os.readlink(folder + '/' + name)}\n")
        except OSError: pass
for number in range(4096):
    try: os.fstat(number)
    except OSError: continue
    for path in ("file", "secret/file", "../secret/file"):
        try: report.write("READ " + os.read(os.open(path, os.O_RDONLY, dir_fd=number), 99).decode() + "\n")
        except OSError: pass
    for flags in (os.O_RDWR, os.O_WRONLY | os.O_APPEND):
        try:
            if number == 0: os.write(os.open("/proc/self/fd/0", flags), b"planted")
        except OSError: pass
    if number > 2:
        try: report.write("READ " + os.pread(number, 99, 0).decode() + "\n")
        except OSError: pass
CODE
exec 5< "$TEST_DIR/secret" 6< "$TEST_DIR/secret/file" 7<> "$TEST_DIR/input" 9< / 300< "$TEST_DIR/secret"
exec 8<> /dev/tcp/127.0.0.1/8098
in_jar python3 look.py < "$TEST_DIR/input" > "$TEST_DIR/output" 2> "$TEST_DIR/error" || true
exec 5<&- 6<&- 7<&- 8<&- 9<&- 300<&-
report=$(cat report)
assert_contains "$report" "OPEN /proc/self/fd/0"
for words in precious READ "$TEST_DIR/secret" "$TEST_DIR/input" "$TEST_DIR/output" "$TEST_DIR/error"; do assert_lacks "$report" "$words" "an open file of the caller's"; done
# Open in a program of the jar: its standard three, its report, and the folder it lists at that moment.
assert_equal "$(grep -cE '^OPEN /proc/self/fd/([5-9]|[0-9]{2,}) ' report || true)" 0 "descriptors beyond the program's own"
assert_equal "$(grep -c '^OPEN /proc/1/fd' report || true)" 0 "init's descriptors are shown"
assert_equal "$(cat "$TEST_DIR/input")" input-words "the jar wrote into the file of its standard input"
(exec 5< "$TEST_DIR/secret"; python3 look.py) < /dev/null >/dev/null 2>&1  # the control
assert_contains "$(cat report)" "READ precious"
