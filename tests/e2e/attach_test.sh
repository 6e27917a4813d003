#!/usr/bin/env bash
# The terminal of a jar, seen again: the screen to the cell and to the mode, with a full-screen program and with Claude Code;
# what a program must not do to the terminal of the host.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_belljar
need_agents
need_command tmux python3 vim
on_exit() { screen_end; }
export ANTHROPIC_API_KEY=sk-ant-api03-scripted-0123456789-abcdefghijklmnopqrstuvwxyz

# What tmux captured as cells, one a line: it writes the same colours in more than one way.
cat > "$TEST_DIR/cells.py" <<'CODE'
import re, sys
style = {}
def apply(codes):
    codes = [int(code or 0) for code in re.split("[;:]", codes)]
    while codes:
        code = codes.pop(0)
        if code == 0: style.clear()
        elif code in (38, 48): style[code] = tuple(codes.pop(0) for _ in range(2 if codes[0] == 5 else 4))
        elif code in (39, 49): style.pop(code - 1, None)
        elif code // 10 in (3, 9): style[38] = code
        elif code // 10 in (4, 10): style[48] = code
        else: style[code] = True
for row, line in enumerate(sys.stdin.read().split("\n")):
    column = 0
    for escape, character in re.findall("\x1b\\[([0-9;:]*)m|(.)", line):
        if not character: apply(escape); continue
        shown = {k: v for k, v in style.items() if character != " " or k in (48, 7, 4)}
        if character != " " or shown: print(row, column, character, sorted(shown.items()))
        column += 1
CODE
# The screen with its colours, its cursor and its modes.
screen_state() {
    screen capture-pane -p -e | python3 "$TEST_DIR/cells.py"
    screen display-message -p 'cursor #{cursor_y},#{cursor_x} #{cursor_flag} alternate #{alternate_on} keys #{keypad_cursor_flag}#{keypad_flag} mouse #{mouse_standard_flag}#{mouse_button_flag}#{mouse_all_flag}#{mouse_sgr_flag} region #{scroll_region_upper}-#{scroll_region_lower}'
}
# steady_screen FILE: what it is once nothing has changed for four seconds; agents take hints back by themselves.
steady_screen() {
    local try since=0
    screen_state > "$1"
    for try in $(seq 120); do
        sleep 0.5
        screen_state > "$TEST_DIR/seen"
        if cmp -s "$1" "$TEST_DIR/seen"; then since=$((since + 1)); else since=0; cp "$TEST_DIR/seen" "$1"; fi
        if [ $since -ge 8 ]; then return 0; fi
    done
    fail "the screen does not come to rest"
}
# same_screen FILE: within two seconds the screen is that of the file.
same_screen() {
    local try
    for try in $(seq 20); do
        screen_state > "$TEST_DIR/seen"
        if cmp -s "$1" "$TEST_DIR/seen"; then return 0; fi
        sleep 0.1
    done
    diff "$1" "$TEST_DIR/seen" >&2 || true
    fail "the screen is another one"
}
# A terminal of its own each time; the one before it is gone, as when a link drops.
terminals=0
fresh_terminal() { SCREEN_SOCKET=$TEST_DIR/terminal-$((terminals += 1)); }

# --- a full-screen program: detached, and the terminal killed
for n in $(seq 60); do echo "line $n: 漢字 é"; done > text.txt
fresh_terminal
screen_start "$BELLJAR" run --jar "$JAR" -- vim -u NONE -N --cmd 'set mouse=a ruler number' text.txt
screen_wait 'line 10'
screen send-keys 20G o 'half a line'
screen_wait 'INSERT'
sleep 0.5
screen_state > "$TEST_DIR/before"
screen kill-server
sleep 0.5
fresh_terminal
screen_start "$BELLJAR" attach "$JAR"
screen_wait 'half a line'
same_screen "$TEST_DIR/before"
# And it goes on: keys reach it, and what it draws next stands in the right place.
screen send-keys Escape ':set nonumber' Enter
screen_wait '^line 20'
screen send-keys -H 1c 64
screen_wait 'goes on'
assert_contains "$(screen display-message -p '#{alternate_on}#{mouse_any_flag}#{cursor_flag}')" 001
fresh_terminal
screen_start "$BELLJAR" attach "$JAR"
screen_wait '^line 20'
screen send-keys ':q!' Enter
screen_wait 'exit: 0'
assert_contains "$(screen display-message -p '#{alternate_on}#{mouse_any_flag}#{cursor_flag}')" 001
screen_end

# --- what a program must not do: answers are the jar's own, the clipboard and links are the user's
cat > asks.py <<'CODE'
import os, select, sys, termios, tty
before = termios.tcgetattr(0)
tty.setraw(0)
def ask(question):
    os.write(1, question)
    answer = b""
    while select.select([0], [], [], 0.3)[0]: answer += os.read(0, 100)
    return answer
answers = [ask(q) for q in (b"\x1b[c", b"\x1b]52;c;?\x07", b"\x1b]2;a title\x07\x1b[21t", b"\x1bP+q544e\x1b\\", b"\x05")]
os.write(1, b"\x1b]52;c;c3RvbGVu\x07\x1b]8;;file:///etc/passwd\x07link\x1b]8;;\x07\r\n")
termios.tcsetattr(0, termios.TCSADRAIN, before)
print("answers:", answers)
CODE
fresh_terminal
screen_start "$BELLJAR" run --jar "$JAR" -- python3 asks.py
screen set-option -s set-clipboard on
screen_wait 'exit: 0'
screen_text > "$TEST_DIR/text"
assert_contains "$(tr -d '\n' < "$TEST_DIR/text")" "answers: [b'\\x1b[?62;22c', b'', b'', b'\\x1bP0+r\\x1b\\\\', b'']"
assert_contains "$(cat "$TEST_DIR/text")" link
assert_equal "$(screen list-buffers)" ""
screen_end

# --- Claude Code: the terminal is killed while it works, the command with kill -9 before that
fresh_terminal
screen_start "$BELLJAR" --use-login claude
screen_wait 'bypass permissions on' 30
screen_type 'RUN: echo made-$((6 * 7)); sleep 6; seq 3 | tee made.txt'
# Where the machine is busy, an Enter that comes too soon counts as pasted: it is pressed until it is taken.
working() { screen_text | grep -qE 'Running…|Bash\('; }
for try in 1 2 3 4; do
    for pause in $(seq 25); do if working; then break 2; fi; sleep 0.2; done
    screen send-keys Enter
done
working || screen_wait 'Bash'
kill -KILL "$(pgrep -f "^$BELLJAR --use-login claude")"
screen_wait 'Killed'
screen_end
"$BELLJAR" ls >/dev/null # belljard is there now, if it was not
pgrep -x belljard >/dev/null || fail "there is no belljard to kill"
pkill -KILL -x belljard # of this test's own world
fresh_terminal
screen_start "$BELLJAR" attach
screen_wait 'DONE: '
assert_equal "$(cat made.txt)" $'1\n2\n3'
assert_contains "$("$BELLJAR" ls)" running # says another belljard, which has found the jar
screen_type 'half'
steady_screen "$TEST_DIR/before"
screen kill-server
fresh_terminal
screen_start "$BELLJAR" attach
screen_wait 'bypass permissions on'
same_screen "$TEST_DIR/before"

# --- three at once, of different sizes; the screen of each is whole when its size counts
second() { tmux -S "$TEST_DIR/second" -f /dev/null "$@"; }
third() { tmux -S "$TEST_DIR/third" -f /dev/null "$@"; }
on_exit() { screen_end; second kill-server 2>/dev/null || true; third kill-server 2>/dev/null || true; }
second new-session -d -x 70 -y 20 "$BELLJAR attach; sleep 1000"
wait_for 10 sh -c "tmux -S '$TEST_DIR/second' capture-pane -p | grep -q 'bypass permissions'"
third new-session -d -x 140 -y 50 "$BELLJAR attach; sleep 1000"
wait_for 10 sh -c "tmux -S '$TEST_DIR/third' capture-pane -p | grep -q 'bypass permissions'"
screen send-keys x # the first one's size again
screen_wait 'bypass permissions on'
steady_screen "$TEST_DIR/before"
fresh_terminal
screen_start "$BELLJAR" attach
screen_wait 'bypass permissions on'
same_screen "$TEST_DIR/before"
"$BELLJAR" stop
screen_wait 'exit: '
assert_no_process 'belljar-(keeper|init|proxy|scan|egress)'
echo "a terminal seen again is the same"
