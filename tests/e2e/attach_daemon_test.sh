#!/usr/bin/env bash
# Claude Code in a jar outlives its terminal and belljard: what it was doing goes on, who attaches from another terminal sees the same
# screen to the cell, and three who are attached with sizes of their own notice nothing of belljard's end.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
source "$PROJECT/tests/agents/terminals.sh"
need_belljar
need_agents
need_command tmux python3
clients="small middle large"
on_exit() { for name in $clients other; do at "$name" screen_end; done; screen_end; }
export ANTHROPIC_API_KEY=sk-ant-api03-scripted-0123456789-abcdefghijklmnopqrstuvwxyz
# kill_belljard: with it its other half; nobody has started another one since.
kill_belljard() {
    "$BELLJAR" ls >/dev/null # it is there now, if it was not
    wait_for 10 pgrep -x belljard
    pkill -KILL -x belljard # of this test's own world
    wait_for 10 sh -c '! pgrep -x "belljard|belljard-record"'
}
no_belljard() { ! pgrep -x belljard >/dev/null || fail "there is a belljard: $1"; }
detach() { screen send-keys -H 1c 64; screen_wait 'exit: 0'; screen kill-server; }
ticks() { local tick; tick=$(cat tick); wait_for 10 sh -c "[ \"\$(cat tick)\" != '$tick' ]"; }

# --- at rest: detached, the terminal killed, belljard killed
fresh_terminal
screen_start "$BELLJAR" --use-login claude
screen_wait 'bypass permissions on' 60
screen send-keys -l 'half a prompt'
screen_wait 'half a prompt'
detach # what belljar said before the agent's first line is on the first terminal only
fresh_terminal
screen_start "$BELLJAR" attach
screen_wait 'half a prompt'
steady_screen "$TEST_DIR/before"
detach
kill_belljard
fresh_terminal
screen_start "$BELLJAR" attach
screen_wait 'half a prompt'
same_screen "$TEST_DIR/before"
no_belljard "an attach has started it"
for key in $(seq 13); do screen send-keys BSpace; done

# --- at work: the terminal killed without a word, belljard killed
submit 'RUN: while [ ! -e go ]; do date +%N > tick; sleep 0.1; done; seq 3 | tee made.txt'
wait_for 60 test -s tick
screen kill-server
kill_belljard
ticks
fresh_terminal
screen_start "$BELLJAR" attach
screen_wait 'Running…|Bash\('
ticks
no_belljard "an attach has started it"
touch go
screen_wait 'DONE: ' 60
assert_equal "$(cat made.txt)" $'1\n2\n3'
steady_screen "$TEST_DIR/before"

# --- three at once, each of its own size, while belljard is killed. Who did something last has the size; the others see what they have
# room for.
attach_at() { at "$1" screen new-session -d -x "$2" -y "$3" -c "$WORKSPACE" "export TERM=xterm-256color; $BELLJAR attach; echo exit: \$?; sleep 1000"; }
jar=$("$BELLJAR" ls --names)
size_inside() { "$BELLJAR" exec "$jar" -- stty size -F /dev/pts/0; } # starts no belljard
has_size() { [ "$(size_inside)" = "$1" ]; }
declare -A size=([small]="20 70" [middle]="30 100" [large]="50 140")
for name in $clients; do
    attach_at "$name" "${size[$name]#* }" "${size[$name]% *}"
    at "$name" screen_wait 'bypass permissions on'
    wait_for 10 has_size "${size[$name]}"
done
kill_belljard
typed=
for name in middle large small middle; do
    typed+=${name:0:1}
    at "$name" screen send-keys -l "${name:0:1}"
    wait_for 10 has_size "${size[$name]}"
    at "$name" screen_wait "^❯.$typed *\$"
    at "$name" steady_screen "$TEST_DIR/before"
    # The others see what they have room for, and a further terminal of this size sees the same.
    for each in $clients; do
        # shellcheck disable=SC2086
        [ "$each" = "$name" ] || at "$each" same_screen "$TEST_DIR/before" ${size[$each]}
    done
    attach_at other "${size[$name]#* }" "${size[$name]% *}"
    at other screen_wait 'bypass permissions on'
    at other same_screen "$TEST_DIR/before"
    at "$name" same_screen "$TEST_DIR/before"
    at other screen_end
done
at middle screen send-keys -N "${#typed}" BSpace
# The agent works for one of them, the others look on; a second end of belljard, while it does, changes nothing.
receiver_forget model
at middle submit 'RUN: rm -f tick go; while [ ! -e go ]; do date +%N > tick; sleep 0.1; done; echo all-$((6 * 7))'
wait_for 60 test -s tick
no_belljard "one of the attached has started it"
kill_belljard
ticks
touch go
for name in $clients; do at "$name" screen_wait 'DONE: all-42' 60; done
receiver_got model
for name in large small middle; do
    at "$name" screen send-keys -l x
    wait_for 10 has_size "${size[$name]}"
done
no_belljard "one of the attached has started it"
assert_contains "$("$BELLJAR" ls)" running # says another belljard, which has found the jar
"$BELLJAR" stop
for name in $clients; do at "$name" screen_wait 'exit: '; done
assert_no_process 'belljar-(keeper|init|proxy|scan|egress)'
echo "who is attached, and the agent, need no belljard"
