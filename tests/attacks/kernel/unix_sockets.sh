#!/usr/bin/env bash
# K5, C8: sockets of the host's services, by path and abstract, and the variables that lead to them: docker, containerd, podman,
# ssh and gpg agents, D-Bus, systemd, X11, Wayland, PulseAudio, tmux, screen, editors.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
mkdir -p "$XDG_RUNTIME_DIR"/{gnupg,podman,pulse,systemd} "$HOME/.gnupg" "$HOME/.ssh" "$HOME/.docker/run"
sockets="$XDG_RUNTIME_DIR/bus $XDG_RUNTIME_DIR/wayland-0 $XDG_RUNTIME_DIR/gnupg/S.gpg-agent $XDG_RUNTIME_DIR/podman/podman.sock $XDG_RUNTIME_DIR/pulse/native $XDG_RUNTIME_DIR/systemd/private
    $HOME/.gnupg/S.gpg-agent.ssh $HOME/.ssh/agent.sock $HOME/.docker/run/docker.sock $TEST_DIR/ssh-agent.sock /tmp/belljar-attack-x11-$$ /tmp/belljar-attack-tmux-$$ /var/tmp/belljar-attack-docker-$$"
cat > "$TEST_DIR/services.py" <<'CODE'
import os, select, socket, sys
out, servers = open(sys.argv[1], "w", buffering=1), []
for path in [*sys.argv[2:], "\0/tmp/.X11-unix/X77", "\0dbus-attack", "\0belljar-attack"]:
    server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen(64); servers.append(server)
    if path[0] != "\0": os.chmod(path, 0o777)
out.write("ready\n")
while True:
    for server in select.select(servers, [], [])[0]: server.accept()[0].close(); out.write(f"reached {server.getsockname()!r}\n")
CODE
python3 "$TEST_DIR/services.py" "$TEST_DIR/reached" $sockets &
services=$!
on_exit() { kill "$services" 2>/dev/null || true; rm -f $sockets; }
wait_for 5 grep -q ready "$TEST_DIR/reached"
cat > reach.py <<'CODE'
import os, socket, sys
listed = [line.split()[7] for line in open("/proc/net/unix").readlines()[1:] if len(line.split()) > 7]
for path in [*sys.argv[1:], "\0/tmp/.X11-unix/X77", "\0dbus-attack", "\0belljar-attack", "\0belljar-world", *(name.replace("@", "\0", 1) for name in listed)]:
    for root in ("",) if path[0] == "\0" else ("", "/proc/self/root", "/proc/1/root"):
        try: socket.socket(socket.AF_UNIX).connect(root + path)
        except (OSError, ValueError): pass
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/notify", "/run/podman/podman.sock", "/run/snapd.socket", "/dev/log", "/run/nscd/socket", "/run/udev/control"):
    if os.path.lexists(path): print("PRESENT", path)
for name in listed: print("LISTED", name)
for name, value in os.environ.items(): print(f"VARIABLE {name}={value}")
CODE
names="SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY DOCKER_HOST CONTAINER_HOST TMUX STY PULSE_SERVER VSCODE_IPC_HOOK_CLI SSH_CONNECTION GIT_ASKPASS SUDO_ASKPASS"
for name in $names; do export "$name=host-canary"; done
attack python3 reach.py $sockets
assert_equal "$(cat "$TEST_DIR/reached")" ready "sockets of the host were reached"
receiver_silent host-abstract
out=$(cat "$TEST_DIR/attack.out")
assert_contains "$out" "VARIABLE HOME"
for word in PRESENT LISTED host-canary XDG_RUNTIME_DIR; do assert_lacks "$out" "$word"; done
python3 reach.py $sockets >/dev/null  # the control
wait_for 5 grep -q "reached '$XDG_RUNTIME_DIR/bus'" "$TEST_DIR/reached"
receiver_got host-abstract
