#!/usr/bin/env bash
# Records tests/screen/streams anew: what real programs write to a terminal of 24×80, their questions answered by tmux.
# Run by hand, on a host with vim, less, htop, top and the agents (./setup --agents-only); as TERM xterm-256color.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_agents
need_command tmux vim less htop top git python3
on_exit() { screen_end; }
STREAMS=$PROJECT/tests/screen/streams
export IS_SANDBOX=1 # Claude Code as root
export ANTHROPIC_API_KEY=sk-ant-api03-scripted-0123456789-abcdefghijklmnopqrstuvwxyz

# record NAME COMMAND…: starts it in a fresh terminal; `finish` cuts the recording off.
record() {
    NAME=$1
    shift
    local command
    command=$(printf '%q ' "$@")
    rm -f "$TEST_DIR/raw"
    screen new-session -d -x 80 -y 24 -c "$WORKSPACE" "export TERM=xterm-256color; sleep 0.5; $command; sleep 1000"
    screen pipe-pane -O "cat > $TEST_DIR/raw"
    sleep 1
}
keys() {
    local key
    for key in "$@"; do
        screen send-keys -- "$key"
        sleep 0.4
    done
}
finish() {
    sleep 1
    screen_end
    sleep 0.3
    cp "$TEST_DIR/raw" "$STREAMS/$NAME"
    echo "$NAME: $(stat -c %s "$STREAMS/$NAME") bytes"
}

cp "$PROJECT/src/screen/parser.cc" parser.cc
cp "$PROJECT/docs/glossary.md" glossary.md
git init -q . && git add . && git -c user.name=Name -c user.email=name@example.com commit -qm One

record vim vim -u NONE -N --cmd 'syntax on' --cmd 'set number ruler hlsearch' parser.cc
keys 10j dd p /state Enter n n o 'new line, 漢字 é' Escape C-f C-b :split Enter G C-d 'ggVGd' u :set Space list Enter
finish
record vim-quit vim -u NONE -N --cmd 'syntax on' parser.cc
keys G 5k dd :q! Enter
finish
record less less -N -S parser.cc
keys Space Space b /events Enter n G g Right Right '100g'
finish
# In a namespace of processes of its own: it shows no others.
record htop unshare --fork --pid --mount-proc htop -d 5
keys Down Down F5 F6 Escape Down t
sleep 2
finish
record top unshare --fork --pid --mount-proc top -d 0.5
keys 1 z x
sleep 2
finish
record bash bash --norc -i
keys "PS1='\\[\\e[1;32m\\]\\w\\[\\e[m\\] \$ '" Enter 'ls --color=always -la /usr | head -30' Enter 'echo this is a long line that wraps around the edge of the terminal, and is edited 漢字' C-a C-k C-y Left Left X C-c 'seq 1 50' Enter clear Enter 'git log --graph --color=always --oneline | cat' Enter 'printf "tab\\tstop\\t%s\\n" é 漢' Enter
finish
seed_claude "$ANTHROPIC_API_KEY"
record claude claude --dangerously-skip-permissions
screen_wait 'bypass permissions on' 30
screen_type $'RUN: ls -la; seq 1 40'
screen_wait 'DONE' 30
screen_type "EDIT: glossary.md: jar => glass"
sleep 3
keys /mod Escape Escape '?'
finish
seed_codex "sk-scripted-0123456789"
record codex codex --dangerously-bypass-approvals-and-sandbox
sleep 5
screen_type 'RUN: ls -la; seq 1 10'
sleep 5
finish
