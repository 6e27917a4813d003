#!/usr/bin/env bash
# Jars have names, a home that lasts, and a workspace they belong to.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"

# The home lasts; /tmp doesn't. The host's home is not there.
echo secret >"$HOME/host-file"
in_jar sh -c 'echo kept > ~/kept; echo gone > /tmp/gone'
assert_equal "$(in_jar sh -c 'cat ~/kept')" kept
assert_fails in_jar test -e /tmp/gone
assert_fails in_jar sh -c 'test -e ~/host-file'
assert_no_file "$HOME/kept"

# The jar of a directory is found again without its name, also from below a repository's top.
mkdir -p "$TEST_DIR/my-app/src"
git -C "$TEST_DIR/my-app" init -q
(cd "$TEST_DIR/my-app" && "$BELLJAR" run -- sh -c 'echo here > ~/here')
assert_equal "$(cd "$TEST_DIR/my-app/src" && "$BELLJAR" run -- sh -c 'cat ~/here; pwd')" "here
$TEST_DIR/my-app/src"
assert_contains "$("$BELLJAR" ls)" my-app

# Listings are for programs, too.
"$BELLJAR" ls --json >"$TEST_DIR/ls.json"
python3 - "$TEST_DIR/ls.json" "$TEST_DIR/my-app" <<'EOF'
import json, sys
jars = {jar["name"]: jar for jar in json.load(open(sys.argv[1]))}
assert jars["my-app"]["workspace"] == sys.argv[2] and jars["my-app"]["state"] == "stopped", jars
EOF

# A jar runs once at a time, and not on another directory.
(cd "$WORKSPACE" && exec "$BELLJAR" run --jar "$JAR" -- sh -c 'touch ready; exec sleep 100') &
running=$!
wait_for 10 test -e "$WORKSPACE/ready"
assert_contains "$("$BELLJAR" ls)" running
assert_exit 125 in_jar true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "is running"
assert_exit 125 "$BELLJAR" rm "$JAR"
kill "$running"
wait "$running" || true
assert_exit 125 "$BELLJAR" run --jar "$JAR" --workspace "$TEST_DIR/my-app" -- true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "belongs to $WORKSPACE"

# rm deletes the jar and nothing else; --rm does so at the end.
"$BELLJAR" rm "$JAR"
assert_lacks "$("$BELLJAR" ls)" "$JAR"
assert_file "$WORKSPACE/ready"
"$BELLJAR" run --rm --jar passing --no-workspace -- true
assert_lacks "$("$BELLJAR" ls)" passing

# A login that is in the jar already stays there when a later start lets none in, and is told.
mkdir -p "$TEST_DIR/bin" "$HOME/.claude"
printf '#!/bin/sh\ncat ~/.claude/.credentials.json\n' >"$TEST_DIR/bin/claude"
chmod 755 "$TEST_DIR" "$TEST_DIR/bin" "$TEST_DIR/bin/claude"
echo '{"login": "of the host"}' >"$HOME/.claude/.credentials.json"
agent() { PATH="$TEST_DIR/bin:$PATH" "$BELLJAR" --jar "$1" --no-workspace "$2" claude 2>"$TEST_DIR/err"; }
assert_contains "$(agent with-login --use-login)" "of the host"
assert_lacks "$(cat "$TEST_DIR/err")" "has a login"
agent with-login --no-login >/dev/null
assert_contains "$(cat "$TEST_DIR/err")" "belljar rm with-login"
assert_lacks "$(agent without-login --no-login || true)" "of the host"
assert_lacks "$(cat "$TEST_DIR/err")" "has a login"
# A yes that comes later logs a jar in that has its agent's files already, and takes nothing of them away.
export ANTHROPIC_API_KEY=sk-test-0123456789abcdefghij
printf '#!/bin/sh\ncat ~/.claude.json\n' >"$TEST_DIR/bin/claude"
assert_lacks "$(agent without-login --no-login)" 0123456789abcdefghij
assert_contains "$(agent without-login --use-login)" 0123456789abcdefghij
assert_contains "$(agent without-login --no-login)" hasCompletedOnboarding
unset ANTHROPIC_API_KEY
# Beside a jar that runs, the agent can be had as it would be there: unprompted, its words as they were.
printf '#!/bin/sh\ntouch ~/up; exec sleep 100\n' >"$TEST_DIR/bin/claude"
agent without-login --no-login >/dev/null &
running=$!
wait_for 10 test -e "$XDG_STATE_HOME/belljar/jars/without-login/home/up"
assert_exit 125 "$BELLJAR" --jar without-login claude -p "it's two words" 2>"$TEST_DIR/beside" </dev/null
assert_contains "$(cat "$TEST_DIR/beside")" "belljar exec without-login -- env DISABLE_AUTOUPDATER=1 IS_SANDBOX=1 claude --dangerously-skip-permissions -p 'it'\\''s two words'"
"$BELLJAR" stop without-login >/dev/null
wait "$running" || true
"$BELLJAR" rm with-login without-login

# What stands in a jar's workspace is not the user's word, by whatever link it is found.
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf 'registry=http://attacker.test/\n' >"$WORKSPACE/npmrc"
ln -s "$WORKSPACE/npmrc" "$HOME/.npmrc"
in_jar true
assert_lacks "$("$BELLJAR" policy show --jar "$JAR")" attacker.test
printf '[[egress.allow]]\nhost = "attacker.test"\n' >"$WORKSPACE/config.toml"
ln -s "$WORKSPACE/config.toml" "$XDG_CONFIG_HOME/belljar/config.toml"
assert_exit 125 in_jar true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "the workspace of a jar"
# Nor is it what a rule is written beside, or where a link of the jar's leads.
assert_exit 125 "$BELLJAR" allow --every-jar other.test 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "the workspace of a jar"
[ -L "$XDG_CONFIG_HOME/belljar/config.toml" ] || fail "the link was replaced by what a jar wrote"
mv "$WORKSPACE/config.toml" "$HOME/elsewhere.toml"
ln -s "$HOME/elsewhere.toml" "$WORKSPACE/config.toml"
assert_exit 125 in_jar true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "the workspace of a jar"
rm "$HOME/.npmrc" "$XDG_CONFIG_HOME/belljar/config.toml" "$WORKSPACE/config.toml"
: >"$WORKSPACE/authorities.pem"
(export SSL_CERT_FILE="$WORKSPACE/authorities.pem"; assert_exit 125 in_jar true 2>"$TEST_DIR/err")
assert_contains "$(cat "$TEST_DIR/err")" "SSL_CERT_FILE stands in"

# A directory that can't be a workspace is refused with the reason, and leaves no jar.
names() { "$BELLJAR" ls | cut -d" " -f1; }
before=$(names)
for directory in "$HOME" / "$XDG_STATE_HOME" /usr; do
    assert_exit 125 "$BELLJAR" run --workspace "$directory" -- true 2>"$TEST_DIR/err"
    assert_contains "$(cat "$TEST_DIR/err")" "try: "
done
assert_equal "$(names)" "$before"

# A first start that fails before anything runs leaves none either, whoever refused it; a jar that was there stays.
assert_exit 125 "$BELLJAR" run --jar refused --memory 1K -- true 2>/dev/null
mkdir "$TEST_DIR/linked"
git -C "$TEST_DIR/linked" init -q
ln "$TEST_DIR/linked/.git/config" "$TEST_DIR/linked/other"
assert_exit 125 env -C "$TEST_DIR/linked" "$BELLJAR" run --jar refused -- true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "can't be guarded"
assert_equal "$(names)" "$before"
assert_equal "$(find "$XDG_STATE_HOME/belljar/jars" -mindepth 1 -maxdepth 1 -name '.removed*' -o -name refused)" ""
assert_exit 125 "$BELLJAR" run --jar "$JAR" --memory 1K -- true 2>/dev/null
assert_equal "$(names)" "$before"
assert_exit 127 "$BELLJAR" run --jar not-found --no-workspace -- no-such-program 2>/dev/null
"$BELLJAR" rm not-found

# What a jar makes that can't be guarded, in any number, holds up no start: a few are told, and how many more.
mkdir "$TEST_DIR/many"
(cd "$TEST_DIR/many" && python3 -c 'import os
for n in range(2000):
    os.makedirs(f"d/{n}")
    os.symlink("x", f"d/{n}/.git")')
began=$(date +%s)
(cd "$TEST_DIR/many" && "$BELLJAR" run --jar many -- true) 2>"$TEST_DIR/err"
[ $(($(date +%s) - began)) -lt 8 ] || fail "the start was held up"
assert_contains "$(cat "$TEST_DIR/err")" "and 1992 more"
[ "$(grep -c "not guarded" "$TEST_DIR/err")" -lt 20 ] || fail "all of them were told"
wait_for 10 sh -c "'$BELLJAR' log | grep -qF 'and 1992 more'"
"$BELLJAR" rm many

# A removal that was cut off after the rules is ended by the next; until then the name is taken and nothing starts.
"$BELLJAR" run --jar cut-off --no-workspace -- true
: >"$XDG_STATE_HOME/belljar/jars/cut-off/removing"
assert_exit 125 "$BELLJAR" run --jar cut-off --no-workspace -- true 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "belljar rm cut-off"
"$BELLJAR" allow --jar cut-off left.test
"$BELLJAR" rm cut-off
"$BELLJAR" run --jar cut-off --no-workspace -- true
assert_lacks "$("$BELLJAR" policy show --jar cut-off)" left.test
"$BELLJAR" rm cut-off

# One start may follow another at once.
for _ in {1..15}; do in_jar true; done

# The record of it all is whole (the last lines reach the disk just after the command has ended).
wait_for 5 sh -c "'$BELLJAR' log --limit 1000 | grep -qF 'started in $WORKSPACE'"
wait_for 5 sh -c "'$BELLJAR' log passing | grep -qF 'stopped, exit code 0'"
assert_contains "$("$BELLJAR" log --verify)" "the chain is whole"
