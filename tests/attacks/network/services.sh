#!/usr/bin/env bash
# The host's own services: reachable by name only where the user named them, and nothing beside them.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
tries='
    for name in host.belljar.internal HOST.BELLJAR.INTERNAL host.docker.internal gateway.docker.internal host.containers.internal localhost _gateway $(hostname); do
        for port in 8099 8098 6379 80 53; do curl -sS -m 3 --http0.9 http://$name:$port/to-the-host & done
    done; wait'
attack_shell "$tries"
all_silent host-loopback host-lan host-any wire

mkdir -p "$XDG_CONFIG_HOME/belljar"
printf '[services]\nraw = 8099\n' > "$XDG_CONFIG_HOME/belljar/config.toml"
attack_shell "$tries"
receiver_got host-loopback '"where": "tcp 127.0.0.1 8099"'  # the control
receiver_silent host-loopback '"where": "(tcp 127.0.0.1 6379|tcp ::1|udp)'
all_silent host-lan host-any
