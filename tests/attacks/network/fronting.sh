#!/usr/bin/env bash
# N7: domain fronting. The name that was resolved, the name in the handshake and the name in the request must be one, also
# where both names are allowed by themselves.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
allow other.test
allow allowed.test 80 http
program send_each
cat > lines <<'WORDS'
allowed.test 443 evil.test GET /fronted HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n
allowed.test 443 other.test GET /fronted HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n
allowed.test 443 allowed.test GET /fronted HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n
allowed.test 443 allowed.test GET /fronted HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n
allowed.test 443 other.test GET /fronted HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n
allowed.test 443 none GET /fronted HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n
allowed.test 443 allowed.test GET /fronted HTTP/1.1\r\nHost: allowed.test:8443\r\nConnection: close\r\n\r\n
allowed.test 80 - GET /fronted HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n
allowed.test 80 - GET /fronted HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n
allowed.test 80 - GET http://evil.test/fronted HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n
allowed.test 80 - GET https://allowed.test/fronted HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n
allowed.test 80 other.test GET /fronted HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n
allowed.test 443 allowed.test GET /first HTTP/1.1\r\nHost: allowed.test\r\n\r\nGET /fronted HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n
allowed.test 443 none GET /unnamed HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n
other.test 443 other.test GET /named HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n
WORDS
attack_shell '
    ./send_each lines & curl -sSk -m 3 --connect-to allowed.test:443:other.test:443 https://allowed.test/fronted &
    curl -sSk -m 3 -H "Host: other.test" https://allowed.test/fronted & curl -sSk -m 3 --http2-prior-knowledge -H "Host: other.test" http://allowed.test/fronted & wait'
for name in allowed other evil; do receiver_silent "$name" fronted; done
receiver_got allowed 'GET /first'  # the control: what is in order arrives
receiver_got other 'GET /named'
