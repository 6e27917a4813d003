#!/usr/bin/env bash
# C1: the host's environment is not the jar's: only what says how to paint and speak goes in, and what the user named. No
# process of the jar has more, init included.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
names="ANTHROPIC_API_KEY OPENAI_API_KEY GITHUB_TOKEN GH_TOKEN AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN NPM_TOKEN NODE_AUTH_TOKEN DATABASE_URL VAULT_TOKEN KUBECONFIG
    GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_SECRET DOCKER_AUTH_CONFIG SLACK_TOKEN STRIPE_KEY MY_PASSWORD FAKE_TOKEN CI_JOB_TOKEN ACTIONS_RUNTIME_TOKEN HISTFILE BASH_ENV ENV PYTHONSTARTUP PROMPT_COMMAND"
secrets=()
for name in $names; do secrets+=("$name=/nonexistent/host-canary-$name"); done
cat > look.sh <<'CODE'
env; cat /proc/[0-9]*/environ /proc/self/environ /proc/$PPID/environ 2>/dev/null | tr '\0' '\n'; ps axe 2>/dev/null; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' '; set; declare -p
python3 -c 'import os; print(os.environ)'
CODE
look() { env "${secrets[@]}" TZ=Europe/Paris TERM=xterm-256color "$BELLJAR" run --jar "$JAR" "$@" </dev/null > "$TEST_DIR/seen" 2>"$TEST_DIR/errors" || { cat "$TEST_DIR/errors" >&2; fail "belljar failed"; }; }
look -- bash look.sh
assert_lacks "$(cat "$TEST_DIR/seen")" host-canary "a variable of the host's is in the jar"
for words in "$BELLJAR_WORLD_DIR" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME" "$(dirname "$BELLJAR")"; do assert_lacks "$(cat "$TEST_DIR/seen")" "$words" "a path of the host's"; done
grep -q '^TERM=xterm-256color' "$TEST_DIR/seen"  # the control: it was looked at, and what is meant to go in does
grep -q '^TZ=Europe/Paris' "$TEST_DIR/seen"

# What the user passes goes in, to this start's program alone, and only that.
look -e FAKE_TOKEN -e OTHER=given -- env
assert_contains "$(cat "$TEST_DIR/seen")" FAKE_TOKEN=/nonexistent/host-canary-FAKE_TOKEN
assert_contains "$(cat "$TEST_DIR/seen")" OTHER=given
assert_equal "$(grep -c host-canary "$TEST_DIR/seen")" 1
look -- env
assert_lacks "$(cat "$TEST_DIR/seen")" host-canary
if grep -raq host-canary "$XDG_STATE_HOME" "$XDG_CACHE_HOME"; then fail "belljar's state has a variable's value"; fi
