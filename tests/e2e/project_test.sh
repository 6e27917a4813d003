#!/usr/bin/env bash
# A repository's belljar.toml is a suggestion: it counts once the user has approved this exact content, and the jar can't write it.
source "$(dirname "${BASH_SOURCE[0]}")/../harness/lib.sh"
need_command script python3

told() { cat "$TEST_DIR/err"; }
status_of() { in_jar curl -sS -o /dev/null -w '%{http_code}' https://allowed.test/ 2>"$TEST_DIR/err"; }
number() { "$BELLJAR" review ls "$@" --json | python3 -c 'import json, sys; print(*[p["number"] for p in json.load(sys.stdin) if p.get("workspace") == sys.argv[1]])' "$WORKSPACE"; }

printf '[[egress.allow]]\nhost = "allowed.test"\nreason = "the suggested host"\n[env]\nSUGGESTED = "yes"\n' >belljar.toml

# Nobody was asked: it does not count, one line says so and what to do.
assert_equal "$(status_of)" 403
assert_contains "$(told)" "belljar.toml is not approved and does not count; to see it and decide: belljar review show 1"
assert_lacks "$(in_jar env 2>/dev/null)" SUGGESTED
receiver_silent allowed
assert_contains "$("$BELLJAR" policy show --jar "$JAR" 2>&1)" "belljar.toml is not approved"
assert_lacks "$("$BELLJAR" policy show --jar "$JAR" 2>/dev/null)" allowed.test

# What it would do is shown, what widens as such.
shown=$("$BELLJAR" review show "$(number)")
assert_contains "$shown" "+ widen: allowed.test: allow GET, HEAD (any path)  [belljar.toml:1:1]"
assert_contains "$shown" "  also:  set SUGGESTED=yes  [belljar.toml:5:13]"
assert_contains "$shown" "  | reason = \"the suggested host\""

# Approved, it counts; the decision is on record with who and why.
"$BELLJAR" review approve "$(number)" --reason "read it" >"$TEST_DIR/out"
hash=$(sha256sum belljar.toml | cut -d' ' -f1)
assert_contains "$(cat "$TEST_DIR/out")" "$hash"
assert_equal "$(status_of)" 200
assert_lacks "$(told)" belljar.toml
assert_contains "$(in_jar env)" SUGGESTED=yes
assert_contains "$("$BELLJAR" policy show --origin --jar "$JAR")" "belljar.toml:1:1"
assert_matches "$("$BELLJAR" log)" "uid $(id -u)\)? approves proposal 1"
assert_contains "$("$BELLJAR" log)" "approves proposal 1: belljar.toml of $WORKSPACE, SHA-256 $hash: read it"

# The jar can't change it, nor put another in its place.
for attack in 'echo "#" >> belljar.toml' 'rm -f belljar.toml' 'cp belljar.toml b && mv -f b belljar.toml' 'ln -sf /etc/passwd belljar.toml' 'truncate -s 0 belljar.toml'; do
    assert_fails in_jar_shell "$attack" 2>/dev/null
done
assert_equal "$(sha256sum belljar.toml | cut -d' ' -f1)" "$hash"

# Changed by a byte it needs a new decision; the old content back counts again.
cp belljar.toml "$TEST_DIR/approved"
echo '# more' >>belljar.toml
assert_equal "$(status_of)" 403
assert_contains "$(told)" "belljar review show $(number)"
cp "$TEST_DIR/approved" belljar.toml
assert_equal "$(status_of)" 200

# A no stays a no, and can be taken back; so can a yes.
"$BELLJAR" review reject 1 >/dev/null
assert_equal "$(status_of)" 403
assert_contains "$(told)" "belljar.toml was rejected and does not count; to change that: belljar review approve 1"
assert_exit 125 "$BELLJAR" review always 1 2>"$TEST_DIR/err"
"$BELLJAR" review approve 1 --json | python3 -c 'import json, sys; assert json.load(sys.stdin)[0]["state"] == "approved"'
assert_equal "$(status_of)" 200

# An approval is for this directory only.
mkdir "$TEST_DIR/other" && cp belljar.toml "$TEST_DIR/other/"
(cd "$TEST_DIR/other" && assert_equal "$("$BELLJAR" run -- curl -sS -o /dev/null -w '%{http_code}' https://allowed.test/ 2>/dev/null)" 403)

# An older approval does not outlive a newer one: going back is asked about.
printf '# narrower\n' >belljar.toml
in_jar true 2>/dev/null
"$BELLJAR" review approve "$(number)" >/dev/null
cp "$TEST_DIR/approved" belljar.toml
assert_equal "$(status_of)" 403
"$BELLJAR" review approve "$(number)" >/dev/null
assert_equal "$(status_of)" 200

# Nor does it outlive the file.
rm belljar.toml
in_jar true 2>/dev/null
cp "$TEST_DIR/approved" belljar.toml
assert_equal "$(status_of)" 403
assert_contains "$(told)" "belljar.toml is not approved and does not count"

# One that a jar makes is told when it ends, and counts for nothing at the next start.
rm belljar.toml
in_jar_shell 'printf "[[egress.allow]]\nhost = \"evil.test\"\n" > belljar.toml' 2>"$TEST_DIR/err"
assert_contains "$(told)" "belljar.toml: a suggestion to belljar, which counts for nothing until you approve it"
assert_equal "$(in_jar curl -sS -o /dev/null -w '%{http_code}' https://evil.test/ 2>/dev/null)" 403
receiver_silent evil

# What a project may not say, and what is no plain file, is left out and told with its place; a terminal obeys none of it.
printf '[jar]\nbackend = "namespace"\n' >belljar.toml
in_jar true 2>"$TEST_DIR/err"
assert_contains "$(told)" 'belljar.toml does not count: belljar.toml:2:1: a project may not set "backend"'
printf '"\\u001b]0;evil\\u0007\\u202e" = 1\n' >belljar.toml
in_jar true 2>"$TEST_DIR/err"
assert_contains "$(told)" "unknown key"
assert_lacks "$(told)" $'\e'
assert_lacks "$(told)" $'\u202e'
rm belljar.toml
ln -s "$TEST_DIR/approved" belljar.toml
in_jar true 2>"$TEST_DIR/err"
assert_contains "$(told)" "belljar.toml is no plain file"
rm belljar.toml

# What is printed for programs is ASCII: a terminal that shows it obeys none of it. Lists that hide others are refused.
printf '# \u202e\u200b\u0085\n[env]\nA = "b"\n' >belljar.toml
in_jar true 2>/dev/null
assert_equal "$("$BELLJAR" review show "$(number)" --json | LC_ALL=C tr -d '\000-\177' | wc -c)" 0
printf '[[egress.allow]]\nhost = "evil.test"\nmethods = ["GET", "GET"]\n' >belljar.toml
in_jar true 2>"$TEST_DIR/err"
assert_contains "$(told)" "belljar.toml does not count: belljar.toml:3:19: this stands in the list twice"

# On a terminal it is one question, once.
printf '[env]\nASKED = "yes"\n[[egress.allow]]\nhost = "allowed.test"\nreason = "\\u001b[2J"\n' >belljar.toml
# What the program says ends a line. What was typed for a question that isn't asked is echoed by the program's terminal, anywhere between lines.
counts() { grep -q 'ASKED=yes$' <<<"$screen"; }
answer() { script -qec "'$BELLJAR' run --jar $JAR -- env" /dev/null <<<"$1" | tr -d '\r'; }
screen=$(answer n)
assert_contains "$screen" "+ widen: allowed.test: allow GET, HEAD"
assert_contains "$screen" "Let it count? [y/N]"
assert_fails counts
assert_lacks "$screen" $'\e[2J'
screen=$(answer y)
assert_lacks "$screen" "Let it count?"
assert_fails counts
echo '#' >>belljar.toml
screen=$(answer y)
counts
screen=$(answer n)
assert_lacks "$screen" "Let it count?"
counts

# A queue that can't be read approves nothing, says what to do, and is left as it is.
printf 'this is no database, and long enough to be taken for one %4096s' x >"$XDG_STATE_HOME/belljar/review/review.db"
before=$(sha256sum "$XDG_STATE_HOME/belljar/review/review.db")
assert_lacks "$(in_jar env 2>"$TEST_DIR/err")" ASKED
assert_contains "$(told)" "review.db is damaged"
assert_exit 125 "$BELLJAR" review 2>"$TEST_DIR/err"
assert_contains "$(told)" "try: mv "
assert_equal "$(sha256sum "$XDG_STATE_HOME/belljar/review/review.db")" "$before"
assert_contains "$("$BELLJAR" log --verify)" "the chain is whole"
echo "a belljar.toml is only a suggestion"
