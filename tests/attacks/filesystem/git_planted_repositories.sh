#!/usr/bin/env bash
# F4, F5, the rest of F3: repositories that the jar makes itself, where no mount can stand in the way: nested, bare layout in
# a subfolder, a workspace that was no repository. belljar must name each when the jar stops, before a person's git trips over it.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# listed PLACE PLANT: the trap works on the host, and belljar's stderr names its place.
listed() {
    local place=$1 plant=$2
    rm -f "$CANARY"
    cd "$TEST_DIR"
    rm -rf "$WORKSPACE"
    make_workspace
    cd "$WORKSPACE"
    attack env CANARY="$CANARY" bash -c "$plant"
    for folder in "$WORKSPACE/$place" "$WORKSPACE"; do
        if [ -d "$folder" ]; then (cd "$folder" && timeout 10 git status >/dev/null 2>&1) || true; fi
    done
    assert_file "$CANARY"  # the control: this is worth naming
    assert_contains "$(cat "$TEST_DIR/attack.err")" "$place" "belljar doesn't name what was planted ($place)"
}
make_workspace() { make_repository "$WORKSPACE"; }
trap_setting='git config core.fsmonitor "touch $CANARY; false"'
bare_layout='mkdir objects refs; echo "ref: refs/heads/main" > HEAD; printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = %s\n\tfsmonitor = \"touch $CANARY; false\"\n"'
listed nested "git init -q nested; cd nested; $trap_setting"
listed deep/er/nested "mkdir -p deep/er; git init -q deep/er/nested; cd deep/er/nested; $trap_setting"
listed embedded "git init -q embedded; cd embedded; $trap_setting; git commit -q --allow-empty -m x; cd ..; git add embedded"
listed barely "mkdir barely; cd barely; $bare_layout .. > config"
listed pointed "git init -q .hidden; cd .hidden; $trap_setting; cd ..; mkdir pointed; echo 'gitdir: ../.hidden/.git' > pointed/.git"
listed linked "git init -q elsewhere; cd elsewhere; $trap_setting; cd ..; mkdir linked; ln -s ../elsewhere/.git linked/.git"

make_workspace() { mkdir "$WORKSPACE"; }
listed .git "git init -q .; $trap_setting"
listed ./config "$bare_layout . > config"

# A workspace deep in a repository can't reach the repository's own .git, and nothing is named that wasn't planted.
cd "$TEST_DIR"
rm -rf "$WORKSPACE"
make_repository "$WORKSPACE"
mkdir "$WORKSPACE/part"
JAR_OPTIONS=(--workspace "$WORKSPACE/part")
JAR="$JAR-part"
cp "$WORKSPACE/.git/config" "$TEST_DIR/config-before"
attack_shell "echo x >> ../.git/config; mkdir -p ../.git/hooks; echo x > ../.git/hooks/pre-commit; echo fine > harmless.txt"
assert_same_file "$WORKSPACE/.git/config" "$TEST_DIR/config-before"
assert_no_file "$WORKSPACE/.git/hooks/pre-commit"
assert_lacks "$(cat "$TEST_DIR/attack.err")" harmless.txt
