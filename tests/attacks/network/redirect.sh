#!/usr/bin/env bash
# N16: an allowed host sends the client elsewhere. The second hop is a request like any other, and egress follows nothing.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
attack_shell '
    for to in https://evil.test/hopped http://evil.test/hopped http://93.184.216.12/hopped http://169.254.169.254/hopped http://127.0.0.1:8099/hopped \
              http://10.7.0.5/hopped https://private.test/hopped //evil.test/hopped https://allowed.test@evil.test/hopped http://allowed.test:8080/hopped; do
        curl -sSL -m 4 --proto-redir =http,https "https://allowed.test/redirect?to=$to" &
        python3 -c "import sys, urllib.request as u; u.urlopen(\"https://allowed.test/redirect?to=$to\", timeout=4)" 2>&1 | tail -1 &
    done; wait'
all_silent evil metadata neighbour host-loopback host-lan host-any
receiver_silent dns '(evil|private)'
receiver_silent allowed 'GET /hopped'
receiver_got allowed 'GET /redirect\?to=https://evil.test/hopped'

# The control: a redirect within policy is followed, by the client.
attack curl -sSL -m 4 'https://allowed.test/redirect?to=https://allowed.test/followed'
receiver_got allowed 'GET /followed'
