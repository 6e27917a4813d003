#!/usr/bin/env bash
# A host without room for a system of the jar's own: a jar starts with the host's, read-only, and says so with the command that
# mends it; one that has installed something, and one that was to have a system of a certain kind, does not start.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can mount the small file system"
need_belljar
roots="$XDG_STATE_HOME/belljar/roots"
on_exit() { umount "$roots" 2>/dev/null || true; }
first=$JAR
in_jar touch /usr/of-the-jar # makes the generation

rm "$roots"
mkdir "$roots"
mount -t tmpfs -o size=64m none "$roots"
JAR="$first-new"
in_jar sh -c 'echo ran; touch /usr/of-the-jar || echo read-only' > out 2> err || { cat err >&2; fail "no start"; }
assert_equal "$(cat out)" $'ran\nread-only'
assert_contains "$(cat err)" "the jar's system is read-only"
assert_contains "$(cat err)" "try: df -h $roots"
assert_contains "$("$BELLJAR" doctor 2>&1 || true)" "df -h $roots"

JAR=$first
code=0
in_jar true 2> err || code=$?
assert_equal "$code" 125 "a jar that has changed its system starts without what it changed"
assert_contains "$(cat err)" "df -h $roots"

JAR="$first-kind"
mkdir -p "$XDG_CONFIG_HOME/belljar"
for kind in skeleton metadata; do
    printf '[jar]\nroot = "%s"\n' $kind > "$XDG_CONFIG_HOME/belljar/config.toml"
    code=0
    in_jar true 2> err || code=$?
    assert_equal "$code" 125 "a jar without the system that was asked for"
done
printf '[jar]\nroot = "readonly"\n' > "$XDG_CONFIG_HOME/belljar/config.toml"
assert_equal "$(in_jar sh -c 'touch /usr/of-the-jar 2>/dev/null || echo read-only' 2> err)" read-only
assert_equal "$(cat err)" "" "what was asked for is told as a fault"

# With room again all is as before.
umount "$roots"
rmdir "$roots"
ln -s "$SHARED_ROOTS" "$roots"
rm "$XDG_CONFIG_HOME/belljar/config.toml"
JAR=$first
in_jar test -e /usr/of-the-jar
assert_no_file /usr/of-the-jar
echo "without room: told, and nothing is lost"
