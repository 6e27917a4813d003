#!/usr/bin/env bash
# F15, K11: the jar writes to belljar's program, configuration, state and cache, by every path to them; it plants settings
# where belljar might look for them, and turns switches. All of it is below this test's folder.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
mkdir -p "$TEST_DIR/bin"
cp -a "$(dirname "$(realpath "$BELLJAR")")"/belljar* "$TEST_DIR/bin/"
BELLJAR="$TEST_DIR/bin/belljar"
attack true  # makes the state
sums() { find "$TEST_DIR/bin" "$XDG_CONFIG_HOME" "$XDG_STATE_HOME" "$XDG_CACHE_HOME" -path '*/jars/*/root' -prune -o -type f ! -path '*/jars/*/home/*' ! -path '*/ledger/*' ! -name jar.json ! -name ended ! -name '*.log' -exec sha256sum {} + | sort; }
before=$(sums)
[ -n "$before" ] || fail "there is nothing to compare"
attack_shell "
    for place in '$TEST_DIR/bin' '$XDG_CONFIG_HOME' '$XDG_STATE_HOME' '$XDG_CACHE_HOME' '$XDG_RUNTIME_DIR'; do
        for root in '' /proc/self/root /proc/1/root /proc/1/cwd ..; do
            find \$root\$place -type f 2>/dev/null | head -50 | while read -r file; do echo planted >> \$file; done
            mkdir -p \$root\$place/belljar; printf '\n[[egress.allow]]\nhost = \"evil.test\"\n' >> \$root\$place/belljar/config.toml
        done
    done 2>/dev/null"
assert_equal "$(sums)" "$before" "the jar changed a file of belljar's"
attack curl -sS -m 4 https://evil.test/

printf '[[egress.allow]]\nhost = "evil.test"\n' > belljar.toml
mkdir -p .belljar .config/belljar
cp belljar.toml .belljar/config.toml
cp belljar.toml .config/belljar/config.toml
attack_shell 'mkdir -p ~/.config/belljar; cp belljar.toml ~/.config/belljar/config.toml; cp belljar.toml ~/.belljar.toml'
attack env BELLJAR_DISABLE=1 BELLJAR=0 IS_SANDBOX=1 BELLJAR_LOG=debug XDG_CONFIG_HOME="$WORKSPACE/.config" bash -c 'curl -sS -m 4 https://evil.test/; belljar allow evil.test; curl -sS -m 4 https://evil.test/'
all_silent evil
attack curl -sS -m 4 https://allowed.test/by-name  # the control: the user's own configuration counts
receiver_got allowed 'GET /by-name'
