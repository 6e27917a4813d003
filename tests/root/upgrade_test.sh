#!/usr/bin/env bash
# The host's system is upgraded under jars, running and stopped, with changes of their own and without: none sees a file cut or made
# of both, those with changes go on with what they had once it is saved, new ones have the new system. The host is a small one of
# this test's own, shown to belljar in the place of /usr. $1: the kind of root.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can show belljar another /usr"
need_belljar
kind=${1:-auto}
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[jar]\nroot = "%s"\n' "$kind" > "$XDG_CONFIG_HOME/belljar/config.toml"
rm "$XDG_STATE_HOME/belljar/roots"
ROOTS="$XDG_STATE_HOME/belljar/roots"
host="$TEST_DIR/usr"
JAR_PIDS=()
on_exit() { for pid in "${JAR_PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done; }

# A small host: a shell, a few programs and what they are linked with, at the places that programs look for it.
mkdir -p "$TEST_DIR/opt" "$host/bin" "$host/lib" "$host/share/bell"
add_program() {
    local file
    cp -L "$(command -v "$1")" "$host/bin/$1"
    while read -r file; do
        file=${file#/usr}
        mkdir -p "$host$(dirname "$file")"
        cp -L "/usr$file" "$host$file" 2>/dev/null || cp -L "$file" "$host$file"
    done < <(ldd "$(command -v "$1")" | grep -o '/[^ ]*')
}
for name in bash cat touch sleep wc tr cut; do add_program $name; done
ln -s bash "$host/bin/sh"
# fill FILE LETTER SIZE: a file of one letter, replaced as dpkg does; rewrite: in place, as a careless script does.
fill() { head -c "$3" /dev/zero | tr '\0' "$2" > "$1.new" && chmod 644 "$1.new" && mv "$1.new" "$1"; }
rewrite() { head -c "$3" /dev/zero | tr '\0' "$2" > "$1"; }
install_system() { # LETTER SIZE-OF-LARGE
    fill "$host/share/bell/small" "$1" 1000
    fill "$host/share/bell/large" "$1" "$2"
    if [ -e "$host/share/bell/rewritten" ]; then rewrite "$host/share/bell/rewritten" "$1" "$2"; else fill "$host/share/bell/rewritten" "$1" "$2"; fi
    rm -f "$host/lib/"version-*
    touch "$host/lib/version-$1" # what belljar tells an upgrade by
}
install_system a 200000

on_host() { # belljar, to which the small host is the host
    unshare --mount --propagation private bash -c 'mount --bind "$1/opt" /opt; mount --bind "$1/usr" /usr; shift; exec "$@"' bash "$TEST_DIR" "$BELLJAR" "$@"
}
jar() { # NAME SHELL-TEXT
    mkdir -p "$TEST_DIR/w-$1"
    on_host run --jar "$1" --workspace "$TEST_DIR/w-$1" -- bash -c "$2"
}
look='for name in small large rewritten; do echo "$name $(tr -s a-z < /usr/share/bell/$name) $(wc -c < /usr/share/bell/$name)"; done'
old=$'small a 1000\nlarge a 200000\nrewritten a 200000'
new=$'small b 1000\nlarge b 300001\nrewritten b 300001'

assert_equal "$(jar stopped "touch /usr/share/bell/own; $look")" "$old"
jar plain true
# A jar that runs until the system is saved, looks again and again, and has not looked at its files before the upgrade.
(cd / && jar running 'touch /usr/share/bell/own; echo up > up; until [ -e upgraded ]; do sleep 0.1; done; '"$look"' > seen; echo seen > done; until [ -e end ]; do sleep 0.1; done') &
JAR_PIDS+=($!)
wait_for 60 test -e "$TEST_DIR/w-running/up"
generation="$ROOTS/$(cat "$XDG_STATE_HOME/belljar/jars/running/generation")"
wait_for 60 test -e "$generation/saved"
install_system b 300001
touch "$TEST_DIR/w-running/upgraded"
wait_for 30 test -e "$TEST_DIR/w-running/done"

# What a generation was saved of is the jar's for good. One that was mounted before has its names from the host still, but for a
# metadata layer everything that was saved stands in its place.
seen=$(cat "$TEST_DIR/w-running/seen")
[ "$seen" = "$old" ] || fail "a running jar's system changed under it: $seen"
touch "$TEST_DIR/w-running/end"
wait
JAR_PIDS=()
assert_equal "$(jar running "$look; cat /usr/share/bell/own")" "$old" "a jar with changes, started again after the upgrade"
assert_equal "$(jar stopped "$look; cat /usr/share/bell/own")" "$old" "a jar that was stopped during the upgrade"
assert_equal "$(jar plain "$look")" "$new" "a jar without changes follows the host"
assert_equal "$(jar fresh "touch /usr/share/bell/own; $look")" "$new" "a new jar"

# An upgrade before the new system was saved: the jar with changes is told, has the present one, and nothing is mixed.
[ ! -e "$ROOTS/$(cat "$XDG_STATE_HOME/belljar/jars/fresh/generation")/saved" ] || fail "saved too early for this test"
install_system c 100000
out=$(jar fresh "$look" 2> err)
assert_equal "$out" $'small c 1000\nlarge c 100000\nrewritten c 100000'
assert_contains "$(cat err)" "the host's system was changed"
assert_equal "$(jar stopped "$look")" "$old" "a saved system after two upgrades"
echo "upgrades of the host with root = \"$kind\": nothing cut, nothing mixed"
