#!/usr/bin/env bash
# I2: a server that can't prove its name gets no request, whatever the client in the jar is told to accept; and the jar's own
# authority is worth nothing outside its jar.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
for name in selfsigned expired wrongname allowed; do allow "$name.test"; done
attack_shell 'for name in selfsigned expired wrongname; do curl -sSk -m 4 https://$name.test/unproven & NODE_TLS_REJECT_UNAUTHORIZED=0 wget -q --no-check-certificate -T 4 -t 1 -O- https://$name.test/unproven & done; wait'
for name in selfsigned expired wrongname; do
    receiver_got dns "\"name\": \"$name.test\""  # it was tried
    receiver_silent "$name" '"event": "request"'
done
attack_shell 'cp /etc/ssl/certs/ca-certificates.crt bundle; curl -sS -m 4 https://allowed.test/proven'
receiver_got allowed 'GET /proven'  # the control
for name in selfsigned expired wrongname; do curl -sSk -m 4 "https://$name.test/unproven" >/dev/null; receiver_got "$name" unproven; done
# The authority that the jar trusts isn't the host's business.
comm -13 <(sort -u /etc/ssl/certs/ca-certificates.crt) <(sort -u bundle) | grep -qv -- ---- || fail "the jar's bundle has no authority of its own"
line=$(comm -13 <(sort -u /etc/ssl/certs/ca-certificates.crt) <(sort -u bundle) | grep -v -- ---- | sed -n 1p)
if grep -rlF -- "$line" "$HOME" --exclude-dir=belljar >&2; then fail "the jar's authority was put into the user's home"; fi
