#!/usr/bin/env bash
# A day of an agent's output in a fast run, through a real jar's terminal: nobody attached, one attached, one attached that takes
# nothing. The keeper's memory stays bounded, and who attaches then sees the screen and the last scrollback.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_belljar
need_command tmux python3
on_exit() { screen_end; }
# What an agent writes: its spinner, its status line and boxes drawn again, coloured text, titles, long lines, new sizes of margins,
# and what the model drops. About 250 bytes a frame; 400 000 frames are a day of five a second.
cat >day.py <<'CODE'
import os, random, sys
random.seed(1)
frames, written = int(sys.argv[1]), 0
out = os.fdopen(1, "wb", 1 << 16)
for n in range(frames):
    spinner = "⠋⠙⠹⠸⠼⠴⠦⠧"[n % 8]
    frame = f"\x1b[?2026h\x1b[2K\r\x1b[38;5;{n % 256}m{spinner}\x1b[0m Thinking… {n} tokens \x1b[2m(esc to interrupt)\x1b[22m\x1b[?2026l"
    if n % 3 == 0: frame += f"\r\n\x1b[1;3{n % 8}mline {n}\x1b[0m 漢字 é {'word ' * (n % 40)}"
    if n % 100 == 0: frame += f"\x1b]0;title {n}\x07\x1b]8;;https://example.test/{n}\x07link\x1b]8;;\x07\x1b]52;c;{'QUJD' * 50}\x07"
    if n % 500 == 0: frame += "\x1b[?1049h\x1b[2J\x1b[Hfull screen\x1b[?1049l" + "\x1bP" + "q" * 3000 + "\x1b\\"
    if n % 1000 == 0: frame += "e" + "\u0301" * 50 + "\x1b[5;20r\x1b[r"
    out.write(frame.encode())
out.write("\r\n\x1b[0mthe day is over\r\n".encode())
out.flush()
open(sys.argv[2], "w").close()
sys.stdin.readline()
CODE
keeper() { pgrep -ox belljar-keeper; }
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$(keeper)/status"; } # KiB
LIMIT=24576 # KiB more than at the start: scrollback, and what waits for one that takes nothing

for who in nobody one stalled; do
    rm -f over; rm -f up
    "$BELLJAR" run --jar "$JAR" --detach -- sh -c 'touch up; read go; exec python3 day.py 400000 over' 2>/dev/null
    wait_for 10 test -e up
    before=$(resident)
    SCREEN_SOCKET=$TEST_DIR/$who
    screen_start "$BELLJAR" attach "$JAR"
    sleep 0.5
    screen send-keys go Enter
    case $who in
    nobody) sleep 0.3; screen send-keys -H 1c 64; screen_wait "exit: 0" 60; screen_end ;;
    stalled) sleep 0.3; kill -STOP "$(pgrep -f "^$BELLJAR attach $JAR")" ;;
    esac
    most=0
    for try in $(seq 1200); do
        now=$(resident); [ "$now" -le "$most" ] || most=$now
        ! [ -e over ] || break
        sleep 0.1
    done
    assert_file over
    echo "$who attached: $before KiB before, at most $most KiB while a day went by"
    [ $((most - before)) -le $LIMIT ] || fail "the keeper has grown by $((most - before)) KiB with $who attached"
    case $who in
    nobody) SCREEN_SOCKET=$TEST_DIR/later; screen_start "$BELLJAR" attach "$JAR" ;;
    stalled) kill -CONT "$(pgrep -f "^$BELLJAR attach $JAR")" ;;
    esac
    screen_wait 'the day is over' 30
    screen_text | grep -q 'line 399999' || fail "the last lines are not on the screen"
    screen_end
    "$BELLJAR" stop --grace 1 "$JAR" >/dev/null
done
assert_no_process 'belljar-(keeper|init)'
echo "a day of output leaves the keeper as small as before"
