#!/usr/bin/env bash
# K7: names that the jar chooses (hosts it asks for, paths, methods) are shown to the user by `belljar log`, belljar's own messages
# and --json: never so that they reach the terminal as control sequences or make lines of their own.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
program send_each
program dns_questions
{
    echo 'allowed.test 443 allowed.test GET /\x1b]0;owned\x07\x1b[2J HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
    echo 'allowed.test 443 allowed.test GET /a%1b%5b31m%0aFAKE HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
    echo 'allowed.test 443 allowed.test POST /p\xe2\x80\xae\xc2\x9b31m HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
    echo 'allowed.test 443 allowed.test \x1b[31m /p HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
    echo 'allowed.test 443 allowed.test GET /p HTTP/1.1\r\nHost: e\x1b[31mvil\x0aFAKE.test\r\n\r\n'
    echo 'allowed.test 443 \x1b[31m GET /p HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
} > lines
attack_shell $'./send_each lines; ./dns_questions "$(printf \'x\\033[31m\\nFAKE\')" 127.0.0.1; getent hosts "$(printf \'y\\033[31m.evil.test\')"; printf \'\\n\' >&2'
for words in "log" "log --json" "ls" "ls --json" "policy show"; do
    # shellcheck disable=SC2086
    "$BELLJAR" $words > "$TEST_DIR/shown" 2>&1 </dev/null || fail "belljar $words failed"
    if LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' "$TEST_DIR/shown"; then cat -v "$TEST_DIR/shown" | tail -5 >&2; fail "belljar $words shows control characters"; fi
    if grep -aqE '^(FAKE|\.test)' "$TEST_DIR/shown"; then fail "belljar $words: a name made a line of its own"; fi
done
"$BELLJAR" log --json </dev/null | python3 -c 'import json, sys; print(sum(1 for line in sys.stdin if json.loads(line)))' > "$TEST_DIR/count"
[ "$(cat "$TEST_DIR/count")" -ge 4 ] || fail "the log has nothing of what was tried"
"$BELLJAR" log --verify >/dev/null </dev/null
