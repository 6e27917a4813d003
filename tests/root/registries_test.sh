#!/usr/bin/env bash
# apt-get, npm -g and pip in a jar, without any configuration of belljar's, from the registries that this host's own tools use:
# through the door, onto the real network: what they install is there at the next start, goes when it is removed, and was never on the
# host. What of them this host can't reach, or doesn't have, is skipped by name. $1: the kind of root (config.toml: [jar] root).
user_home=$HOME
export BELLJAR_WORLD_DIR="${BELLJAR_WORLD_DIR:-none}" # no world around this one
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command curl
need_belljar
for file in .npmrc .config/pip/pip.conf .pip/pip.conf; do
    if [ -e "$user_home/$file" ]; then mkdir -p "$HOME/$(dirname "$file")"; cp "$user_home/$file" "$HOME/$file"; fi
done
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[jar]\nroot = "%s"\n' "${1:-auto}" > "$XDG_CONFIG_HOME/belljar/config.toml"
host_has() { ls -d /usr/local/bin/* /usr/local/lib/* /usr/local/lib/python3*/*-packages/* /usr/bin/pip* /usr/games/cowsay /usr/lib/python3/dist-packages/pip 2>/dev/null || true; }
before=$(host_has)
tried=0
reaches() { curl -sS -m 8 -o /dev/null "$1" 2>/dev/null; }

source_of_apt=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | head -n 1 || true)
if [ -n "$source_of_apt" ] && reaches "$source_of_apt"; then
    in_jar apt-get -q update > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get update"; }
    in_jar apt-get -q -y install cowsay > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get install"; }
    assert_contains "$(in_jar /usr/games/cowsay moo)" moo
    in_jar apt-get -q -y remove cowsay > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get remove"; }
    tried=$((tried + 1))
else
    echo "SKIPPED apt: ${source_of_apt:-no source} is not reached from here"
fi
if command -v npm >/dev/null && in_jar sh -c 'command -v npm' >/dev/null && reaches "$(npm config get registry)"; then
    in_jar npm install --silent --global --prefix /usr/local cowsay@1.6.0 > npm.out 2>&1 || { cat npm.out >&2; fail "npm install -g"; }
    assert_contains "$(in_jar /usr/local/bin/cowsay moo)" moo
    tried=$((tried + 1))
else
    echo "SKIPPED npm: not in the jars' system, or its registry is not reached from here"
fi
# pip itself by apt, taken out of the jar first where this host has it; then a package from the index that the host's pip would ask.
index=${PIP_INDEX_URL:-$({ cat "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf" /etc/pip.conf 2>/dev/null || true; } | sed -n '0,/^ *index[-_]url *[=:] */s///p')}
index=${index:-https://pypi.org/simple/}
if [ -n "$source_of_apt" ] && reaches "$source_of_apt" && in_jar test -x /usr/bin/python3; then
    in_jar sh -c '! dpkg -s python3-pip >/dev/null 2>&1 || apt-get -q -y remove python3-pip' > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get remove python3-pip"; }
    assert_fails in_jar /usr/bin/python3 -m pip --version 2>/dev/null
    in_jar apt-get -q -y install --no-install-recommends python3-pip > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get install python3-pip"; }
    assert_matches "$(in_jar /usr/bin/pip --version)" "^pip [0-9.]+ from /usr/lib/python3/dist-packages/pip "
else
    echo "SKIPPED pip by apt: no python3 in the jars' system, or no apt source that is reached from here"
fi
if in_jar /usr/bin/python3 -m pip --version >/dev/null 2>&1 && reaches "$index"; then
    in_jar /usr/bin/python3 -m pip install -q --root-user-action=ignore --break-system-packages --no-deps tabulate==0.9.0 > pip.out 2>&1 || { cat pip.out >&2; fail "pip install"; }
    assert_equal "$(echo 'a b' | in_jar tabulate -f plain)" "a  b"
    in_jar /usr/bin/python3 -m pip uninstall -q -y --break-system-packages tabulate > pip.out 2>&1 || { cat pip.out >&2; fail "pip uninstall"; }
    assert_fails in_jar sh -c 'command -v tabulate'
    tried=$((tried + 1))
else
    echo "SKIPPED a package of pip: pip is not in the jars' system, or its index is not reached from here"
fi
assert_equal "$(host_has)" "$before" "the host's system was touched"
[ "$tried" -gt 0 ] || skip "this host reaches no registry"
echo "packages of $tried registries came through the door"
