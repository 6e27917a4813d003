#!/usr/bin/env bash
# belljard knows and does not hold: it is started by who needs it, killed without a jar noticing, and `belljar ls` tells the truth
# each time, with it and without it. What it has noted can be damaged, older, newer or gone.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_belljar
need_command python3 curl
STATE="$XDG_STATE_HOME/belljar"
PLACE="$STATE/daemon"
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[[egress.allow]]\nhost = "allowed.test"\n' >"$XDG_CONFIG_HOME/belljar/config.toml"
daemon() { cat "$PLACE/lock"; }
daemons() { { pgrep -x belljard || true; } | wc -l; }
# field JAR KEY: of ls --json, whose standard error goes to $TEST_DIR/notes.
field() { "$BELLJAR" ls --json 2>"$TEST_DIR/notes" | python3 -c 'import json, sys; print({jar["name"]: jar for jar in json.load(sys.stdin)}[sys.argv[1]].get(sys.argv[2]))' "$1" "$2"; }
rows() { python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall())' "$PLACE/registry.sqlite" "$1"; }
end_daemon_now() { kill "$(daemon)"; wait_for 5 sh -c '! pgrep -x belljard'; }
detached() { "$BELLJAR" run --jar "$1" --detach -- "${@:2}" 2>/dev/null; }
work='while :; do date +%N > tick; sleep 0.05; done'

# --- started by ls, one, and by a keeper whose program has run for a moment; not by what is over at once
assert_no_process 'belljard'
in_jar true
assert_equal "$(daemons)" 0 "a short run has started belljard"
detached "$JAR" bash -c "$work"
wait_for 5 pgrep -x belljard
assert_equal "$(field "$JAR" state)" running
[ "$(field "$JAR" memory)" -gt 10000 ] || fail "no figures"
assert_equal "$(stat -c %a "$PLACE")" 700
assert_contains "$("$BELLJAR" doctor)" "belljard: process $(daemon), 1 of 1 jars run"

# --- kill -9 of either half: the agent goes on, and the next listing is true, by a new one
for half in belljard belljard-record; do
    before=$(daemon)
    pkill -KILL -x "$half"
    assert_equal "$(field "$JAR" state)" running "$half killed"
    assert_equal "$(cat "$TEST_DIR/notes")" ""
    [ "$(daemon)" != "$before" ] || fail "there is no new belljard after $half was killed"
    assert_equal "$(daemons)" 1
    tick=$(cat tick)
    wait_for 5 sh -c "[ \"\$(cat tick)\" != '$tick' ]"
done
# Each change is known at once.
"$BELLJAR" pause "$JAR" >/dev/null
assert_equal "$(field "$JAR" state)" paused
"$BELLJAR" resume "$JAR" >/dev/null
assert_equal "$(field "$JAR" state)" running

# --- many who start it at once: one is left
kill -KILL "$(daemon)"
for n in {1..12}; do "$BELLJAR" ls >"$TEST_DIR/ls-$n" 2>&1 & done
wait
for n in {1..12}; do
    assert_matches "$(cat "$TEST_DIR/ls-$n")" "$JAR +running"
    assert_lacks "$(cat "$TEST_DIR/ls-$n")" "can't be had"
done
assert_equal "$(daemons)" 1

# --- a keeper that is stuck holds nobody up; one that is killed is seen, and what it left is cleared away
detached second sleep 1000
wait_for 5 test -S "$STATE/jars/second/keeper.sock"
stuck=$(field second keeper)
kill -STOP "$stuck"
assert_within 1 "$BELLJAR" ls >/dev/null
assert_equal "$(field "$JAR" state)" running
sleep 2
assert_equal "$(field second state)" "not answering"
assert_equal "$(field "$JAR" attached)" 0 # its figures are there
kill -CONT "$stuck"
wait_for 5 sh -c "'$BELLJAR' ls | grep -q 'second *running'"
kill -KILL "$stuck"
wait_for 2 sh -c "! pgrep -f 'slee[p] 1000'"
assert_equal "$(field second state)" killed
wait_for 10 sh -c "[ ! -e '$STATE/jars/second/keeper.sock' ]"
assert_equal "$(field second state)" killed
assert_equal "$(field second exit_code)" None
assert_no_file "$WORKSPACE/.git"

# --- requests, and how a run ended, also while no daemon was there
in_jar_requests() { "$BELLJAR" run --jar "$1" -- sh -c 'curl -sS https://allowed.test/ -o /dev/null; curl -sSk https://evil.test/ -o /dev/null; curl -sSk https://evil.test/2 -o /dev/null; exit 7'; }
code=0; (cd "$TEST_DIR" && mkdir -p third && cd third && in_jar_requests third) || code=$?
assert_equal "$code" 7
wait_for 5 sh -c "'$BELLJAR' ls | grep -q 'third .* 1, 2 denied '"
assert_equal "$(field third requests)" "{'allowed': 1, 'denied': 2, 'complete': True}"
end_daemon_now
(cd "$TEST_DIR/third" && in_jar_requests third) || true
assert_equal "$(field third exit_code)" 7
assert_equal "$(field third requests)" "{'allowed': 2, 'denied': 4, 'complete': True}"

# --- jars that go and change their names
"$BELLJAR" rename third fourth >/dev/null
assert_equal "$(field fourth exit_code)" 7
"$BELLJAR" rm fourth >/dev/null
assert_lacks "$("$BELLJAR" ls)" fourth
wait_for 5 sh -c "! python3 -c \"import sqlite3; print(sqlite3.connect('$PLACE/registry.sqlite').execute('select name from jars').fetchall())\" | grep -e third -e fourth"
assert_equal "$(rows "select name from jars where workspace = '$WORKSPACE' order by name")" "('second',) ('$JAR',)"

# --- the registry: damaged, of the first version, of a newer one, not to be written; told once, and nothing lost
end_daemon_now
head -c 9000 /dev/urandom >"$PLACE/registry.sqlite"; rm -f "$PLACE"/registry.sqlite-*
cp "$PLACE/registry.sqlite" "$TEST_DIR/damaged"
assert_equal "$(field "$JAR" state)" running
assert_contains "$(cat "$TEST_DIR/notes")" "registry was damaged"
assert_same_file "$PLACE/registry.sqlite.damaged" "$TEST_DIR/damaged"
assert_equal "$(field second exit_code)" None
assert_equal "$(cat "$TEST_DIR/notes")" "" "told twice"
assert_contains "$("$BELLJAR" doctor)" "registry was damaged"
assert_equal "$(rows 'select count(*) from jars')" "(2,)"
end_daemon_now
rm -f "$PLACE"/registry.sqlite*
python3 - "$PLACE/registry.sqlite" "$JAR" <<'CODE'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("""CREATE TABLE jars (name TEXT PRIMARY KEY, workspace TEXT NOT NULL, agent TEXT NOT NULL, created INTEGER NOT NULL,
  started INTEGER NOT NULL, ended INTEGER NOT NULL, exit_code INTEGER NOT NULL) STRICT;
  CREATE INDEX jars_by_workspace ON jars (workspace, created, name); PRAGMA user_version = 1;""")
db.execute("INSERT INTO jars VALUES (?, '/old', 'claude', 5, 6, 7, 8)", (sys.argv[2],))
db.commit()
CODE
chmod 600 "$PLACE/registry.sqlite"
assert_equal "$(field "$JAR" state)" running
assert_equal "$(cat "$TEST_DIR/notes")" ""
assert_equal "$(rows "select workspace, denied from jars where name = '$JAR'")" "('$WORKSPACE', 0)"
end_daemon_now
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript("PRAGMA user_version = 99")' "$PLACE/registry.sqlite"
assert_equal "$(field "$JAR" state)" running
assert_contains "$(cat "$TEST_DIR/notes")" "newer version of belljar"
assert_equal "$(rows 'PRAGMA user_version')" "(99,)"
end_daemon_now
rm -f "$PLACE"/registry.sqlite*

# --- another build is installed: the next belljard is of that one
cp -a "$(dirname "$BELLJAR")" "$TEST_DIR/build"
"$TEST_DIR/build/belljar" ls >/dev/null
before=$(daemon)
"$TEST_DIR/build/belljar" ls >/dev/null
assert_equal "$(daemon)" "$before"
cp "$TEST_DIR/build/belljard" "$TEST_DIR/build/new" && mv "$TEST_DIR/build/new" "$TEST_DIR/build/belljard"
assert_matches "$("$TEST_DIR/build/belljar" ls)" "$JAR +running" # still by the old one
assert_matches "$("$TEST_DIR/build/belljar" ls)" "$JAR +running"
# Who asks while the old one ends is answered by the keepers.
is_renewed() { "$TEST_DIR/build/belljar" ls >/dev/null 2>&1 && [ "$(daemon)" != "$before" ]; }
wait_for 20 is_renewed || fail "an old belljard stays"
end_daemon_now

# --- no daemon to be had: each jar is asked, and that is said
kill -STOP "$( "$BELLJAR" ls >/dev/null; daemon)"
assert_equal "$(field "$JAR" state)" running
assert_contains "$(cat "$TEST_DIR/notes")" "belljard can't be had"
assert_contains "$("$BELLJAR" doctor)" "weak  belljard: belljard does not answer"
timeout 3 "$BELLJAR" run --no-workspace --jar sixth -- true || fail "a start needs belljard"
kill -KILL "$(daemon)"
assert_equal "$(field "$JAR" requests)" "{'allowed': 0, 'denied': 0, 'complete': True}"

# --- a service manager that listens for it: it takes the place of the one that runs, and leaves the socket
python3 - "$(dirname "$BELLJAR")/belljard" "$PLACE" <<'CODE' &
import os, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
os.chdir(sys.argv[2])
os.unlink("belljard.sock")
listener.bind("belljard.sock")
listener.listen(16)
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.execve(sys.argv[1], ["belljard"], {**os.environ, "LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"})
CODE
managed=$!
wait_for 5 sh -c "[ \"\$(cat '$PLACE/lock')\" = $managed ]"
assert_equal "$(field "$JAR" state)" running
assert_equal "$(cat "$TEST_DIR/notes")" ""
assert_equal "$(daemons)" 1
kill "$managed"; wait "$managed"
assert_file "$PLACE/belljard.sock"

# --- it ends when nothing runs and nobody asks, and not before
export BELLJAR_DAEMON_IDLE=1
"$BELLJAR" ls >/dev/null
sleep 2.5
assert_equal "$(daemons)" 1 "ended while a jar runs"
"$BELLJAR" stop "$JAR" >/dev/null
wait_for 5 sh -c '! pgrep -x belljard'
assert_no_file "$PLACE/belljard.sock"
assert_equal "$(field "$JAR" exit_code)" 143
assert_no_process 'belljar-(keeper|init|proxy|scan|egress)'
echo "belljard knows and does not hold"
