#!/usr/bin/env bash
# Codex in a jar: a task of several tool calls headless, and a conversation in a real terminal.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_belljar
need_agents
need_command tmux python3
on_exit() { screen_end; }
export OPENAI_API_KEY=sk-scripted-0123456789

answer=$("$BELLJAR" --use-login codex exec --skip-git-repo-check "$AGENT_TASK" </dev/null 2> errors) || { cat errors; fail "codex failed"; }
assert_equal "$answer" "The task is finished."
check_agent_task "$WORKSPACE"
model_got 'authorization Bearer' api.openai.com

screen_start "$BELLJAR" --use-login codex
screen_wait 'YOLO mode' 30
screen_type 'RUN: echo made-$((6 * 7)) | tee made.txt'
screen_wait 'made-42'
wait_for 5 test -s made.txt
assert_equal "$(cat made.txt)" made-42
screen_end # the end of a terminal is not that of what runs in the jar
pgrep -f 'bin/codex' >/dev/null || fail "codex ended with its terminal"
"$BELLJAR" stop
assert_no_process 'bin/codex'
echo "Codex did its work in a jar"
