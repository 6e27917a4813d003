#!/usr/bin/env bash
# The pinned agents, without belljar, finish a scripted task against the model server: what tests/agents/README.md says they need
# is enough, headless and in a real terminal.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_agents
need_command tmux python3
on_exit() { screen_end; }

claude_key=sk-ant-api03-scripted-0123456789-abcdefghijklmnopqrstuvwxyz
codex_key=sk-scripted-0123456789
export IS_SANDBOX=1 DISABLE_AUTOUPDATER=1
# The authority is in the system's bundle: no variable about certificates is needed. Those of the host are put aside.
unset NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR CODEX_CA_CERTIFICATE

start_afresh() {
    # What the agent before has left running may still write there.
    for _ in 1 2 3 4 5; do
        rm -rf "$WORKSPACE" "$HOME/.claude" "$HOME/.claude.json" "$HOME/.codex" 2>/dev/null && break
        sleep 1
    done
    mkdir "$WORKSPACE"
    cd "$WORKSPACE"
    : > "$BELLJAR_WORLD_LOGS/model.jsonl"
}

start_afresh
answer=$(ANTHROPIC_API_KEY=$claude_key claude -p "$AGENT_TASK" --dangerously-skip-permissions </dev/null)
assert_equal "$answer" "The task is finished."
check_agent_task .
model_got x-api-key api.anthropic.com
receiver_got_model '"coding":"gzip"'

start_afresh
answer=$(echo 'package main' | ANTHROPIC_API_KEY=$claude_key claude -p $'Summarize this.\nANSWER: It is a program.' --dangerously-skip-permissions)
assert_equal "$answer" "It is a program."

start_afresh
seed_claude "$claude_key"
ANTHROPIC_API_KEY=$claude_key screen_start claude --dangerously-skip-permissions
screen_wait 'bypass permissions on'
screen_type 'RUN: echo made-$((6 * 7)) | tee made.txt'
screen_wait 'DONE: made-42'
assert_equal "$(cat made.txt)" made-42
screen_end

start_afresh
seed_codex "$codex_key"
answer=$(codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "$AGENT_TASK" </dev/null 2>codex.err) || { cat codex.err; fail "codex failed"; }
assert_equal "$answer" "The task is finished."
check_agent_task .
model_got 'authorization Bearer' api.openai.com

start_afresh
seed_codex "$codex_key"
screen_start codex --dangerously-bypass-approvals-and-sandbox
screen_wait 'YOLO mode'
screen_type 'RUN: echo made-$((6 * 7)) | tee made.txt'
screen_wait 'made-42'
wait_for 5 test -s made.txt
assert_equal "$(cat made.txt)" made-42
screen_end
echo "both agents did their work"
