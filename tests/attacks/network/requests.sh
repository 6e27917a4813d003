#!/usr/bin/env bash
# N14, N15: requests that two readers read differently, and ways to make a server do what the rule (GET below /public)
# does not allow.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[[egress.allow]]\nhost = "allowed.test"\npaths = ["/public/**"]\n' > "$XDG_CONFIG_HOME/belljar/config.toml"
program send_each
cat > requests <<'WORDS'
GET /public/ambiguous HTTP/1.1\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nHost: allowed.test\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nHost: evil.test\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost : allowed.test\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\n Host: allowed.test\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nX: a\r\n ambiguous\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nGET /ambiguous HTTP/1.1\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 3\r\nContent-Length: 30\r\n\r\nabcGET /ambiguous HTTP/1.1\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: +3\r\n\r\nabc
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 3, 3\r\n\r\nabc
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: chunked\r\n\r\n5;\nambiguous\r\n0\r\n\r\n
GET /public/ambiguous HTTP/1.1\nHost: allowed.test\n\n
GET /public/ambiguous HTTP/1.1\rHost: allowed.test\r\r
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nX: a\0ambiguous\r\n\r\n
GET /public/ambiguous HTTP/9.9\r\nHost: allowed.test\r\n\r\n
GET /public/ambiguous\r\n
GET  /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /public/ambiguous HTTP/1.1 HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET http://evil.test/public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET https://evil.test/public/ambiguous HTTP/1.1\r\nHost: evil.test\r\n\r\n
GET //evil.test/public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\nambiguous
CONNECT allowed.test:22 HTTP/1.1\r\nHost: allowed.test:22\r\n\r\nambiguous
GET /public/../ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /public/%2e%2e/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /public/%252e%252e/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /public/..%2fambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /public/..;/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /public\\..\\ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /public/..%5cambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /publicambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /Public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /ambiguous?/public/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n
GET /ambiguous#/public/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n
POST /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 3\r\n\r\nabc
get /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
DELETE /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
TRACE /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\n\r\n
OPTIONS * HTTP/1.1\r\nHost: allowed.test\r\nX: ambiguous\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nX-HTTP-Method-Override: DELETE\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nX-HTTP-Method: POST\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nX-Method-Override: PUT\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nX-Original-URL: /ambiguous\r\n\r\n
GET /public/ambiguous HTTP/1.1\r\nHost: allowed.test\r\nX-Rewrite-URL: /ambiguous\r\n\r\n
GET /public/upgraded HTTP/1.1\r\nHost: allowed.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\nambiguous
GET /public/upgraded HTTP/1.1\r\nHost: allowed.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\nambiguous
WORDS
sed 's/^/allowed.test 443 allowed.test /' requests > lines
attack ./send_each lines
receiver_silent allowed '(ambiguous|[Uu]pgrade:|[Mm]ethod-[Oo]verride|[Hh][Tt][Tt][Pp]-[Mm]ethod|[Oo]riginal-[Uu][Rr][Ll]|[Rr]ewrite-[Uu][Rr][Ll])'
all_silent evil allowed-raw

attack curl -sS -m 4 https://allowed.test/public/in-order
receiver_got allowed 'GET /public/in-order'
