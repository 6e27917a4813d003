#!/usr/bin/env bash
# N3: names that look like an allowed one, or hide another behind it.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
allow '*.git.test'
cat > names <<'WORDS'
evil.test allowed.test.evil.test allowed.testevil.test xallowed.test evil-allowed.test also.allowed.test allowed.test.test
allowed-test.evil.test test git.test xgit.test allowed.test%00.evil.test allowed.test%2eevil.test allowed%2etest allowed.test@evil.test
evil.test#allowed.test evil.test?allowed.test evil.test\allowed.test evil.test%23@allowed.test allowed.test:443@evil.test xn--allowed.test аllowed.test
WORDS
program send_each
for host in 'evil.test' 'allowed.test.evil.test' 'allowed.test\0.evil.test' 'allowed.test, evil.test' 'allowed.test evil.test' 'allowed.test:443:evil.test' 'evil.test/allowed.test' '@evil.test'; do
    echo "allowed.test 443 allowed.test GET /by-likeness HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n"
done > lines
attack_shell '
    while read -r -a names; do for name in "${names[@]}"; do echo "url = \"https://${name//\\/\\\\}/by-likeness\""; echo "url = \"http://${name//\\/\\\\}/by-likeness\""; done; done < names > urls
    curl -sSk -m 3 -Z --globoff -K urls & ./send_each lines & wait'
all_silent evil other git neighbour
receiver_silent dns '"name": "([^"]*evil[^"]*|also[^"]*|xgit\.test|git\.test|test|[^"]*\.test\.test)"'
receiver_silent allowed '"(host|sni)": "[^"]*(evil|also|git)'

# The same name spelled otherwise is the same name (and the control).
attack curl -sS -m 4 https://ALLOWED.Test/in-capitals
receiver_got allowed 'GET /in-capitals'
receiver_silent allowed '"host": "ALLOWED'
