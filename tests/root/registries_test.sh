#!/usr/bin/env bash
# apt-get, npm -g and pip in a jar, without any configuration of belljar's, from the registries that this host's own tools use:
# through the door, onto the real network. What of them this host can't reach, or doesn't have, is skipped by name.
user_home=$HOME
export BELLJAR_WORLD_DIR="${BELLJAR_WORLD_DIR:-none}" # no world around this one
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command curl
need_belljar
for file in .npmrc .config/pip/pip.conf .pip/pip.conf; do
    if [ -e "$user_home/$file" ]; then mkdir -p "$HOME/$(dirname "$file")"; cp "$user_home/$file" "$HOME/$file"; fi
done
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
if in_jar /usr/bin/python3 -m pip --version >/dev/null 2>&1 && index=$(/usr/bin/python3 -m pip config get global.index-url 2>/dev/null || echo https://pypi.org/simple) && reaches "$index"; then
    in_jar /usr/bin/python3 -m pip install -q --root-user-action=ignore --break-system-packages --no-deps --target /usr/local/lib/bell six > pip.out 2>&1 || { cat pip.out >&2; fail "pip install"; }
    in_jar test -e /usr/local/lib/bell/six.py
    tried=$((tried + 1))
else
    echo "SKIPPED pip: not in the jars' system, or its index is not reached from here"
fi
for path in /usr/local/lib/bell; do assert_no_file "$path"; done
[ "$tried" -gt 0 ] || skip "this host reaches no registry"
echo "packages of $tried registries came through the door"
