#!/usr/bin/env bash
# F6, F7: files that editors, agents, shells and build tools run or obey by themselves. No mount can tell a good one from a
# bad one: belljar names those that appeared or changed while the jar ran, and only those.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
make_repository "$TEST_DIR/project"
WORKSPACE="$TEST_DIR/project"
cd "$WORKSPACE"
planted=".vscode/tasks.json .vscode/settings.json .idea/workspace.xml .devcontainer/devcontainer.json
    .claude/settings.json .claude/settings.local.json .claude/hooks/x.sh .claude/skills/x/SKILL.md .claude/commands/x.md .mcp.json .codex/config.toml
    .cursor/mcp.json .cursor/sandbox.json .gemini/settings.json CLAUDE.md AGENTS.md .envrc .npmrc .tool-versions
    .husky/pre-commit .pre-commit-config.yaml .github/workflows/ci.yml .zshenv sub/.vscode/tasks.json sub/.claude/settings.json sub/.envrc"
for path in old/.vscode/tasks.json old/.envrc; do mkdir -p "$(dirname "$path")"; echo '{}' > "$path"; done
sleep 0.1
attack_shell "for path in $(echo $planted); do mkdir -p \$(dirname \$path); echo '{\"scripts\": {}}' > \$path; done; echo x > ordinary.txt; mkdir -p src; echo y > src/main.c"
listing=$(cat "$TEST_DIR/attack.err")
for path in $planted; do
    # A folder that is new as a whole may be named as one.
    named=$path
    until [ "$named" = . ] || [[ "$listing" == *"$named"* ]]; do named=$(dirname "$named"); done
    [ "$named" != . ] && [ "$named" != sub ] || { echo "$listing" >&2; fail "belljar does not name $path"; }
done
for path in ordinary.txt src/main.c old/; do assert_lacks "$listing" "$path" "belljar names what is harmless or was there"; done

# An existing one that changes is news again, also when its time is set back.
attack_shell "echo '{\"tasks\": []}' > old/.vscode/tasks.json; touch -d '2001-01-01' old/.vscode/tasks.json"
assert_contains "$(cat "$TEST_DIR/attack.err")" old/.vscode "a changed autorun is not named"
attack true
assert_lacks "$(cat "$TEST_DIR/attack.err")" .vscode "what was named before and did not change is named again"
