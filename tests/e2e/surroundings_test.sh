#!/usr/bin/env bash
# What a program finds around it: locale, time zone, terminal type, git's identity; and what it does not find.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"

printf '[user]\n\tname = Ada Example\n\temail = ada@example.org\n[credential]\n\thelper = store\n' >"$HOME/.gitconfig"
export TZ=Asia/Tokyo TERM=xterm-256color LC_ALL=C.UTF-8
export GITHUB_TOKEN=canary-token SSH_AUTH_SOCK=/run/agent DOCKER_HOST=tcp://x DISPLAY=:0 HTTPS_PROXY=http://proxy:1

assert_equal "$(in_jar git config user.name)" "Ada Example"
assert_equal "$(in_jar git config user.email)" "ada@example.org"
assert_fails in_jar git config credential.helper
assert_equal "$(in_jar date +%Z)" JST
assert_equal "$(in_jar sh -c 'echo $TERM')" xterm-256color
assert_equal "$(in_jar python3 -c 'import locale, sys; print(sys.getfilesystemencoding(), len("ä"))')" "utf-8 1"
assert_equal "$(in_jar hostname)" "$JAR"
assert_equal "$(in_jar sh -c 'echo $HOME; cd; pwd')" "$HOME
$HOME"
assert_equal "$(in_jar sh -c 'echo $BELLJAR')" "$JAR"
for name in GITHUB_TOKEN SSH_AUTH_SOCK DOCKER_HOST DISPLAY HTTPS_PROXY XDG_RUNTIME_DIR; do
    assert_fails in_jar printenv "$name"
done

# Variables that the user names go in.
export PASSED=from-host
assert_equal "$(JAR_OPTIONS=(-e PASSED -e SET=here); in_jar sh -c 'echo $PASSED $SET')" "from-host here"
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[env]\npass = ["PASSED"]\nEDITOR = "vi"\n' >"$XDG_CONFIG_HOME/belljar/config.toml"
assert_equal "$(in_jar sh -c 'echo $PASSED $EDITOR')" "from-host vi"

# A mistake in the configuration is told with its place, and nothing starts.
printf '[jar]\nagnet = "claude"\n' >"$XDG_CONFIG_HOME/belljar/config.toml"
assert_exit 125 in_jar true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" 'config.toml:2:1: unknown key "agnet" in [jar]; did you mean "agent"?'
