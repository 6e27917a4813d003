# What the tests that drive real agents share; sourced after tests/harness/lib.sh.

# A task of several tool calls: files are created, edited and run. With Claude Code the file steps go through its own Write, Read and Edit.
# The unquoted arithmetic is there so that only a shell that really ran can give the answer.
AGENT_TASK='Please do this:
WRITE: greet.py <<< import sys\nprint("hello", sys.argv[1])\n
RUN: python3 greet.py first
EDIT: greet.py: "hello" => "goodbye"
RUN: python3 greet.py second > output.txt && cat output.txt
WRITE: notes/list.txt <<< one\ntwo\nthree\n
RUN: wc -l < notes/list.txt >> output.txt; echo sum $((40 + 2)) >> output.txt
READ: output.txt
ANSWER: The task is finished.'

# check_agent_task FOLDER: the task's files are there, with what they must hold.
check_agent_task() {
    assert_equal "$(cat "$1/greet.py")" $'import sys\nprint("goodbye", sys.argv[1])' "greet.py"
    assert_equal "$(cat "$1/output.txt")" $'goodbye second\n3\nsum 42' "output.txt"
    assert_equal "$(cat "$1/notes/list.txt")" $'one\ntwo\nthree' "notes/list.txt"
}

# model_got KIND HOST: the model server answered a request for HOST that carried a credential of that kind.
model_got() { receiver_got_model "\"host\":\"$2\".*\"kind\":\"$1\""; }
receiver_got_model() {
    wait_for 3 grep -qE -- "$1" "$BELLJAR_WORLD_LOGS/model.jsonl"
}

# The files that an agent needs in its home to start unprompted (tests/agents/README.md), for tests without belljar.
seed_claude() {
    mkdir -p "$HOME/.claude"
    echo '{"skipDangerousModePermissionPrompt": true}' > "$HOME/.claude/settings.json"
    echo "{\"hasCompletedOnboarding\": true, \"customApiKeyResponses\": {\"approved\": [\"${1: -20}\"], \"rejected\": []}, \"projects\": {\"$WORKSPACE\": {\"hasTrustDialogAccepted\": true}}}" > "$HOME/.claude.json"
}
seed_codex() {
    mkdir -p "$HOME/.codex"
    echo "{\"OPENAI_API_KEY\": \"$1\"}" > "$HOME/.codex/auth.json"
    printf '%s\n' 'check_for_update_on_startup = false' '[analytics]' 'enabled = false' '[features]' 'daemon_auto_start = false' \
        "[projects.\"$WORKSPACE\"]" 'trust_level = "trusted"' > "$HOME/.codex/config.toml"
}

# --- a real terminal -----------------------------------------------------------------------------------------------------
# One tmux server of the test's own, with one window of 110×40.

SCREEN_SOCKET=$TEST_DIR/tmux
screen() { tmux -S "$SCREEN_SOCKET" -f /dev/null "$@"; }
# screen_start COMMAND…: runs it in the terminal, from the workspace; its exit code is shown as "exit: N".
screen_start() {
    local command
    command=$(printf '%q ' "$@")
    screen new-session -d -x 110 -y 40 -c "$WORKSPACE" "export TERM=xterm-256color; $command; echo exit: \$?; sleep 1000"
}
screen_text() { screen capture-pane -p; }
# screen_wait PATTERN [SECONDS]: until a line of the screen matches; fails with the screen's content.
screen_wait() {
    local try
    for try in $(seq $((${2:-20} * 5))); do
        if screen_text | grep -qE -- "$1"; then return 0; fi
        sleep 0.2
    done
    { echo "--- the screen:"; screen_text; echo "---"; } >&2
    fail "the screen does not show: $1"
}
screen_type() {
    screen send-keys -l -- "$1"
    sleep 0.5 # an agent's input line takes text that comes together with Enter for a paste
    screen send-keys Enter
}
screen_end() { screen kill-server 2>/dev/null || true; }
