#!/usr/bin/env bash
# apt-get, npm and pip work in a jar as on a host: they install, install again and remove, what they did is there at the next
# start, jars don't see each other's, and the host has nothing of it. $1: the kind of root (config.toml: [jar] root), $2: "saved"
# when the test waits until the host's large files are saved.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
kind=${1:-auto}
configure "$kind"
before=$(state_of_host)

mkdir -p "$TEST_DIR/bell-one/usr/bin" "$TEST_DIR/bell-one/usr/share/bell" "$TEST_DIR/bell-set/usr/bin" "$TEST_DIR/bell-set/var/lib/bell-set"
printf '#!/bin/sh\necho ding\n' > "$TEST_DIR/bell-one/usr/bin/bell-one"
chmod 755 "$TEST_DIR/bell-one/usr/bin/bell-one"
head -c 300000 /dev/zero > "$TEST_DIR/bell-one/usr/share/bell/large"
make_package bell-one 1.0
printf '#!/bin/sh\necho dong\n' > "$TEST_DIR/bell-one/usr/bin/bell-one"
make_package bell-one 2.0
cp /bin/true "$TEST_DIR/bell-set/usr/bin/bell-set"
chmod 4755 "$TEST_DIR/bell-set/usr/bin/bell-set"
chmod 2775 "$TEST_DIR/bell-set/var/lib/bell-set"
make_package bell-set 1.0 'groupadd -r bellgroup; useradd -r -g bellgroup -d /nonexistent belluser; chown belluser:bellgroup /var/lib/bell-set; install -d -o belluser -m 2770 /var/lib/bell-set/made'
repack hostname
repack sed # has a file above 64 KiB
make_repository_index

# What the caller's umask is doesn't count: the directories that belljar makes of a system are as they are on a host.
(umask 077 && in_jar stat -c %a / /usr /etc /var /etc/ssl/certs > modes) || { code=$?; "$BELLJAR" doctor >&2; fail "no jar with root = \"$kind\": $code"; }
assert_equal "$(cat modes)" "$(printf '755\n%.0s' 1 2 3 4 5)"
[ "${2-}" != saved ] || save_root
in_jar "${APT[@]}" update >/dev/null
in_jar "${APT[@]}" install bell-one=1.0 bell-set > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get install"; }
assert_equal "$(in_jar bell-one)" ding
in_jar "${APT[@]}" install bell-one > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get upgrade"; }
assert_equal "$(in_jar bell-one)" dong
in_jar bell-set
assert_equal "$(in_jar id -gn belluser)" bellgroup
in_jar "${APT[@]}" install --reinstall hostname > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get install --reinstall hostname"; }
if [ "$kind" != skeleton ] || [ "${2-}" = saved ]; then
    in_jar "${APT[@]}" install --reinstall sed > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get install --reinstall sed"; }
fi
assert_equal "$(in_jar hostname)" "$JAR"
assert_equal "$(echo x | in_jar sed s/x/y/)" y
in_jar "${APT[@]}" remove bell-one > apt.out 2>&1 || { cat apt.out >&2; fail "apt-get remove"; }
assert_fails in_jar bell-one
assert_equal "$(in_jar dpkg --audit)" ""
assert_equal "$(in_jar sh -c 'dpkg -s bell-set | grep ^Status')" "Status: install ok installed"

# npm, from a file.
mkdir -p npm-bell/bin
echo '{"name":"npm-bell","version":"1.0.0","bin":{"npm-bell":"bin/bell.js"}}' > npm-bell/package.json
printf '#!/usr/bin/env node\nconsole.log("npm ding")\n' > npm-bell/bin/bell.js
if in_jar sh -c 'command -v npm' >/dev/null; then
    (cd npm-bell && npm pack --silent --pack-destination .. >/dev/null)
    in_jar npm install --silent --global --prefix /usr/local ./npm-bell-1.0.0.tgz
    assert_equal "$(in_jar npm-bell)" "npm ding"
fi
# From the index that the host's pip is configured for, through the door, into a jar that runs; there again after a stop and a start.
pip() { "$BELLJAR" exec "$JAR" -- /usr/bin/python3 -m pip "$@"; }
run_jar() { "$BELLJAR" run --jar "$JAR" --detach -- sleep 600 2>/dev/null; }
if in_jar /usr/bin/python3 -m pip --version >/dev/null 2>&1; then
    export PIP_INDEX_URL=https://registry.test/simple/
    run_jar
    pip install --root-user-action=ignore --break-system-packages belljar-fixture-chime > pip.out 2>&1 || { cat pip.out >&2; fail "pip install"; }
    receiver_got registry 'GET /files/belljar-fixture-chime/'
    assert_equal "$("$BELLJAR" exec "$JAR" -- belljar-fixture-chime)" "py ding"
    "$BELLJAR" stop "$JAR" >/dev/null
    assert_equal "$(in_jar belljar-fixture-chime)" "py ding" "after a stop and a start"
    assert_equal "$(in_jar /usr/bin/python3 -c 'import belljar_fixture_chime as chime; chime.ring()')" "py ding"
    assert_fails /usr/bin/python3 -c 'import belljar_fixture_chime' 2>/dev/null
    assert_fails sh -c 'command -v belljar-fixture-chime'
    run_jar
    pip uninstall -y --break-system-packages belljar-fixture-chime > pip.out 2>&1 || { cat pip.out >&2; fail "pip uninstall"; }
    "$BELLJAR" stop "$JAR" >/dev/null
    assert_fails in_jar sh -c 'command -v belljar-fixture-chime'
    assert_fails in_jar /usr/bin/python3 -c 'import belljar_fixture_chime' 2>/dev/null
    # And a wheel that is a file, as agents build them.
    in_jar curl -sS -o belljar_fixture_chime-1.0-py3-none-any.whl "${PIP_INDEX_URL%/simple/}/files/belljar-fixture-chime/belljar_fixture_chime-1.0-py3-none-any.whl"
    in_jar /usr/bin/python3 -m pip install -q --no-index --root-user-action=ignore --break-system-packages ./belljar_fixture_chime-1.0-py3-none-any.whl
    assert_equal "$(in_jar belljar-fixture-chime)" "py ding"
    unset PIP_INDEX_URL
else
    echo "SKIPPED pip: this host has no python3-pip, whose files the jars would have"
fi
in_jar sh -c 'echo "127.0.0.1 somewhere.test" >> /etc/hosts; echo setting > /etc/own.conf; rm /usr/bin/head'
assert_contains "$(in_jar cat /etc/hosts)" somewhere.test
assert_fails in_jar head /etc/own.conf

# Three jars side by side, each with its own.
first=$JAR
for name in second third; do
    JAR="$first-$name"
    mkdir -p "$TEST_DIR/$name"
    WORKSPACE="$TEST_DIR/$name"
    mkdir -p "$TEST_DIR/bell-$name/usr/bin"
    printf '#!/bin/sh\necho %s\n' "$name" > "$TEST_DIR/bell-$name/usr/bin/bell-$name"
    chmod 755 "$TEST_DIR/bell-$name/usr/bin/bell-$name"
    make_package "bell-$name" 1.0
    in_jar dpkg -i "packages/bell-${name}_1.0_all.deb" >/dev/null
done
for name in second third; do
    JAR="$first-$name" WORKSPACE="$TEST_DIR/$name"
    assert_equal "$(in_jar "bell-$name")" "$name"
    assert_fails in_jar bell-set
    for other in second third; do [ "$other" = "$name" ] || assert_fails in_jar "bell-$other"; done
    in_jar head -c 1 /etc/hostname >/dev/null
done
JAR=$first WORKSPACE="$TEST_DIR/workspace"
in_jar bell-set
for other in second third; do assert_fails in_jar "bell-$other"; done

# The host has nothing of it, and what a jar was is gone with it.
assert_equal "$(state_of_host)" "$before" "the host's system was touched"
for path in /usr/bin/bell-one /usr/bin/bell-set /var/lib/bell-set /usr/local/bin/npm-bell /usr/local/bin/belljar-fixture-chime /etc/own.conf; do assert_no_file "$path"; done
assert_file /usr/bin/head
for name in "$first" "$first-second" "$first-third"; do
    "$BELLJAR" rm "$name"
    assert_no_file "$XDG_STATE_HOME/belljar/jars/$name"
done
echo "packages work with root = \"$kind\" ${2-}"
