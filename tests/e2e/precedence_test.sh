#!/usr/bin/env bash
# Profile < config.toml < approved belljar.toml < the jar's file < command line; `policy show --origin` says where each line stands.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command python3
CONFIG="$XDG_CONFIG_HOME/belljar"
mkdir -p "$CONFIG/jars"
printf '[jar]\nagent = "shell"\n[limits]\nmemory = "4G"\ncpus = 2.0\npids = 500\n[env]\nWHO = "user"\nONLY_USER = "yes"\n' >"$CONFIG/config.toml"
printf '[limits]\nmemory = "3G"\ncpus = 1.5\n[env]\nWHO = "project"\n' >belljar.toml
printf '[limits]\nmemory = "2G"\n' >"$CONFIG/jars/$JAR.toml"
in_jar true 2>/dev/null # there is a jar, and a proposal
"$BELLJAR" review approve 1 >/dev/null
origin_of() { "$BELLJAR" policy show --origin --jar "$JAR" "${@:2}" | grep "^$1 " | tr -s ' '; }

assert_equal "$(origin_of limits.memory)" "limits.memory 2G ~/.config/belljar/jars/$JAR.toml:2:10"
assert_equal "$(origin_of limits.memory --memory 1G)" "limits.memory 1G --memory on the command line"
assert_equal "$(origin_of limits.cpus)" "limits.cpus 1.5 belljar.toml:3:8"
assert_equal "$(origin_of limits.pids)" "limits.pids 500 ~/.config/belljar/config.toml:6:8"
assert_equal "$(origin_of env.WHO)" "env.WHO project belljar.toml:5:7"
assert_equal "$(origin_of env.ONLY_USER)" "env.ONLY_USER yes ~/.config/belljar/config.toml:9:13"
assert_contains "$("$BELLJAR" policy show --origin --jar "$JAR" --agent claude)" "profile claude"
assert_contains "$("$BELLJAR" policy show --origin --jar "$JAR" --allow flag.test)" "--allow on the command line"
"$BELLJAR" policy show --json --jar "$JAR" --memory 1G | python3 -c '
import json, sys
settings = {s["name"]: (s["value"], s["origin"]) for s in json.load(sys.stdin)["settings"]}
assert settings["limits.memory"] == ("1G", "--memory on the command line"), settings
assert settings["jar.agent"][0] == "shell", settings'
assert_equal "$(in_jar sh -c 'echo $WHO $ONLY_USER')" "project yes"
assert_equal "$(JAR_OPTIONS=(-e WHO=flag); in_jar sh -c 'echo $WHO')" flag

# The agent that the configuration names is the one that plain `belljar` starts; else the jar's own.
assert_equal "$(echo 'echo this is $BELLJAR' | "$BELLJAR" --jar plain --no-workspace 2>/dev/null)" "this is plain"
printf '[jar]\nagent = "shel"\n' >"$CONFIG/config.toml"
assert_exit 125 "$BELLJAR" --jar plain --no-workspace 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" 'belljar: ~/.config/belljar/config.toml:2:9: no agent "shel" (known: '
assert_contains "$(cat "$TEST_DIR/err")" '; did you mean "shell"?'
: >"$CONFIG/config.toml"
assert_equal "$(echo 'echo again' | "$BELLJAR" --jar plain --no-workspace 2>/dev/null)" again
assert_exit 125 "$BELLJAR" --jar unheard-of --no-workspace 2>"$TEST_DIR/err"
assert_contains "$(cat "$TEST_DIR/err")" "which agent?"
echo "the later word wins, and says where it stands"
