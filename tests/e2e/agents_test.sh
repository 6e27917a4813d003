#!/usr/bin/env bash
# Every further agent that has a profile finishes a small task in a jar, headless, against the scripted model.
#
#   agents_test.sh [AGENT…]     only these
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
source "$PROJECT/tests/agents/agents.sh"
need_belljar
need_agents
need_command python3
export ANTHROPIC_API_KEY=sk-ant-api03-scripted-0123456789-abcdefghijklmnopqrstuvwxyz OPENAI_API_KEY=sk-scripted-0123456789 GEMINI_API_KEY=scripted-0123456789
# The first and the last line are prose: opencode puts its prompt between quotes. It also escapes quotes, and Gemini CLI refuses substitutions.
TASK='Please do this:
RUN: echo one two three four | wc -w > made.txt
RUN: cat made.txt
ANSWER: The task is finished.
Thank you.'

# work AGENT HOST OPTIONS… -- ARGUMENTS…: one task in a jar of the agent's own; the file must be there and the model asked at HOST.
work() {
    local agent=$1 host=$2 options=()
    shift 2
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    if ! [ -x "$AGENTS/node_modules/.bin/$agent" ]; then
        echo "SKIPPED: $agent is not installed: run ./setup --agents-only"
        return
    fi
    rm -f made.txt
    : >"$BELLJAR_WORLD_LOGS/model.jsonl"
    local code=0 started=$SECONDS
    timeout 100 "$BELLJAR" --jar "$agent" --use-login "${options[@]}" "$agent" "$@" </dev/null >"$TEST_DIR/$agent.out" 2>"$TEST_DIR/$agent.err" || code=$?
    if [ "$code" -ne 0 ] || [ "$(cat made.txt 2>/dev/null)" != 4 ]; then
        tail -n 40 "$TEST_DIR/$agent.out" "$TEST_DIR/$agent.err" >&2
        "$BELLJAR" log "$agent" | tail -n 30 >&2
        cut -c1-1500 "$BELLJAR_WORLD_LOGS/model.jsonl" | tail -n 8 >&2
        fail "$agent did not do its work (exit code $code)"
    fi
    receiver_got_model "\"host\":\"$host\""
    assert_no_process "bin/$agent "
    echo "$agent did its work in a jar ($((SECONDS - started)) s)"
}

agent_opencode() { work opencode api.anthropic.com -- run --model anthropic/claude-sonnet-4-5 "$TASK"; }
agent_gemini() { work gemini generativelanguage.googleapis.com -- -p "$TASK"; }
agent_pi() { work pi api.openai.com -- --provider openai --model gpt-5 -p "$TASK"; }
agent_qwen() { OPENAI_BASE_URL=https://api.openai.com/v1 work qwen api.openai.com -e OPENAI_MODEL=scripted-model -- --auth-type openai -p "$TASK"; }
agent_cline() {
    "$BELLJAR" --jar cline --use-login cline auth -p openai -k "$OPENAI_API_KEY" -m scripted-model -b https://api.openai.com/v1 </dev/null >"$TEST_DIR/auth.out" 2>&1 || { cat "$TEST_DIR/auth.out" >&2; fail "cline auth failed"; }
    work cline api.openai.com -- "$TASK"
}
agent_copilot() {
    COPILOT_PROVIDER_BASE_URL=https://api.openai.com/v1 COPILOT_PROVIDER_API_KEY=$OPENAI_API_KEY \
        work copilot api.openai.com -e COPILOT_MODEL=scripted-model -- -p "$TASK"
}

[ $# -gt 0 ] || set -- opencode gemini pi qwen cline copilot
for agent in "$@"; do "agent_$agent"; done
