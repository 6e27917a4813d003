#!/usr/bin/env bash
# The terminal of a jar, seen again: the screen to the cell and to the mode, with a full-screen program and with Claude Code;
# what a program must not do to the terminal of the host.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
source "$PROJECT/tests/agents/terminals.sh"
need_belljar
need_agents
need_command tmux python3 vim
on_exit() { screen_end; }
export ANTHROPIC_API_KEY=sk-ant-api03-scripted-0123456789-abcdefghijklmnopqrstuvwxyz

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
submit 'RUN: echo made-$((6 * 7)); sleep 6; seq 3 | tee made.txt'
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
