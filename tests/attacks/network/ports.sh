#!/usr/bin/env bash
# N12 and other ports: an allowed host is reached only at the allowed port and only with what can be judged there: no raw
# bytes, no SSH, no plain HTTP on a TLS port, no TLS on a plain one, no other service of the same machine.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
program send_each
request='GET /raw-words HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
{
    for port in 1 22 25 53 80 465 853 5432 8080 8443 9999 65535; do
        echo "allowed.test $port - raw-words"
        echo "allowed.test $port - $request"
        echo "allowed.test $port allowed.test $request"
    done
    echo "allowed.test 443 - $request"
    echo 'allowed.test 443 - \x05\x01\x00'
    echo 'allowed.test 443 - \x16\x03\x01\x00\x05raw-words'
    for name in - allowed.test; do
        echo "allowed.test 443 $name SSH-2.0-OpenSSH_9.2\r\n"
        echo "allowed.test 443 $name EHLO raw-words\r\n"
        echo "allowed.test 443 $name \x00\x00\x00\x00raw-words"
        echo "allowed.test 443 $name PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nraw-words"
    done
} > "$WORKSPACE/lines"
attack ./send_each lines
receiver_silent allowed-raw
receiver_silent allowed '(raw-words|SSH-2|EHLO)'
receiver_silent wire '"target": "93.184.216.10", "port": (22|25|80|5432|8080|8443|[^4].*)\b'

echo 'allowed.test 443 allowed.test GET /proper-words HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n' > lines
attack ./send_each lines
receiver_got allowed 'GET /proper-words'
