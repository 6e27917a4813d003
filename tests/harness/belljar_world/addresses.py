"""Who lives at which address, and which name resolves to what.

The *host* is where belljar runs; the *outside* is the rest of the network behind one cable. Public-looking
addresses are used because belljar dials public addresses only; they exist nowhere but in the outside namespace.
"""

HOST_LAN = "10.7.0.5"
GATEWAY = "10.7.0.1"  # the outside's end of the cable; also the host's resolver
NEIGHBOUR = "10.7.0.9"  # another machine on the host's LAN
METADATA = "169.254.169.254"
HOST_LAN_V6 = "fd07::5"
GATEWAY_V6 = "fd07::1"

ALLOWED = "93.184.216.10"
OTHER = "93.184.216.11"
EVIL = "93.184.216.12"  # the attacker's machine: every port of interest listens and records
ANTHROPIC = "93.184.216.20"
OPENAI = "93.184.216.21"
GIT = "93.184.216.30"
SELF_SIGNED = "93.184.216.40"
EXPIRED = "93.184.216.41"
WRONG_NAME = "93.184.216.42"
REGISTRY = "100.64.7.7"  # shared address space: special-use, so belljar needs its exception to reach it
ALLOWED_V6 = "2606:2800:220:1::10"

OUTSIDE_ADDRESSES = [
    NEIGHBOUR, METADATA, ALLOWED, OTHER, EVIL, ANTHROPIC, OPENAI, GIT, SELF_SIGNED, EXPIRED, WRONG_NAME, REGISTRY,
]
OUTSIDE_ADDRESSES_V6 = [ALLOWED_V6]

# What a name resolves to. A list of lists answers in turns and stays at the last (rebinding).
A_RECORDS = {
    "allowed.test": [ALLOWED],
    "also.allowed.test": [ALLOWED],
    "other.test": [OTHER],
    "evil.test": [EVIL],
    "*.evil.test": [EVIL],
    "api.anthropic.com": [ANTHROPIC],
    "platform.claude.com": [ANTHROPIC],
    "api.openai.com": [OPENAI],
    "auth.openai.com": [OPENAI],
    "chatgpt.com": [OPENAI],
    "ab.chatgpt.com": [OPENAI],
    "generativelanguage.googleapis.com": [OPENAI],
    "git.test": [GIT],
    "registry.test": [REGISTRY],
    "selfsigned.test": [SELF_SIGNED],
    "expired.test": [EXPIRED],
    "wrongname.test": [WRONG_NAME],
    "private.test": [NEIGHBOUR],
    "hostlan.test": [HOST_LAN],
    "loopback.test": ["127.0.0.1"],
    "metadata.test": [METADATA],
    "mixed.test": [ALLOWED, NEIGHBOUR],
    "unspecified.test": ["0.0.0.0"],
    "slow.test": [ALLOWED],
    "tcp.test": [ALLOWED],
}
REBINDING = {
    "rebind.test": [[ALLOWED], ["127.0.0.1"]],
    "rebind-lan.test": [[ALLOWED], [HOST_LAN]],
}
AAAA_RECORDS = {
    "allowed.test": [ALLOWED_V6],
    "six.test": [ALLOWED_V6],
    "mapped.test": ["::ffff:127.0.0.1"],
    "nat64.test": ["64:ff9b::7f00:1"],
    "loopback-six.test": ["::1"],
}
CNAME_RECORDS = {"cname.test": "allowed.test", "cname-private.test": "private.test"}
SERVFAIL = {"servfail.test"}
REFUSED = {"refused.test"}
SILENT = {"silent.test"}  # no answer at all
SLOW = {"slow.test": 8.0}  # seconds before the answer
TRUNCATED = {"tcp.test"}  # over UDP only the truncation bit: the client must come by TCP

MODEL_NAMES = ["api.anthropic.com", "platform.claude.com", "api.openai.com", "auth.openai.com", "chatgpt.com", "ab.chatgpt.com",
               "generativelanguage.googleapis.com"]
CERTIFIED_NAMES = sorted(
    (set(A_RECORDS) | set(REBINDING) | set(AAAA_RECORDS) | set(CNAME_RECORDS))
    - {"selfsigned.test", "expired.test", "wrongname.test"}
)

# HTTP receivers: name -> [(address, port, tls)]. Their log is LOGS/NAME.jsonl, the bytes received LOGS/NAME.bytes.
HTTP_RECEIVERS = {
    "allowed": [(ALLOWED, 80, False), (ALLOWED, 443, True), (ALLOWED, 8080, False), (ALLOWED, 8443, True),
                (ALLOWED_V6, 443, True), (ALLOWED_V6, 80, False)],
    "other": [(OTHER, 80, False), (OTHER, 443, True)],
    "evil": [(EVIL, 80, False), (EVIL, 443, True), (EVIL, 8443, True)],
    "selfsigned": [(SELF_SIGNED, 443, True)],
    "expired": [(EXPIRED, 443, True)],
    "wrongname": [(WRONG_NAME, 443, True)],
    "git": [(GIT, 443, True), (GIT, 80, False)],
    "registry": [(REGISTRY, 443, True)],
    "metadata": [(METADATA, 80, False)],
    "neighbour": [(NEIGHBOUR, 80, False), (NEIGHBOUR, 443, True)],
}
# Raw receivers outside: name -> [(address, protocol, port)].
RAW_RECEIVERS = {
    "allowed-raw": [(ALLOWED, "tcp", port) for port in (22, 25, 5432)] + [(ALLOWED, "udp", port) for port in (53, 443, 9999)],
    "evil-raw": [(EVIL, "tcp", port) for port in (22, 25, 53, 853, 4444)] + [(EVIL, "udp", port) for port in (53, 123, 443, 4444)],
    "metadata-raw": [(METADATA, "tcp", port) for port in (22, 443, 8080)] + [(METADATA, "udp", port) for port in (53, 123)],
    "neighbour-raw": [(NEIGHBOUR, "tcp", port) for port in (22, 445, 2375, 5432, 8080)] + [(NEIGHBOUR, "udp", port) for port in (53, 161, 5353)],
}
# Raw receivers on the host itself: what a jar must never reach.
HOST_RECEIVERS = {
    "host-loopback": [("127.0.0.1", "tcp", 8099), ("127.0.0.1", "udp", 8099), ("127.0.0.1", "tcp", 6379), ("::1", "tcp", 8099)],
    "host-lan": [(HOST_LAN, "tcp", 8099), (HOST_LAN, "udp", 8099), (HOST_LAN, "tcp", 80)],
    "host-any": [("0.0.0.0", "tcp", 8098), ("0.0.0.0", "udp", 8098)],
    "host-abstract": [("@belljar-world", "unix", 0)],
}
