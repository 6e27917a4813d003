"""Starts everything that listens: one process outside, one on the host."""
import os
import shutil
import signal
import subprocess

from . import addresses, raw_receivers
from .dns_server import DnsServer
from .git_site import GitSite
from .http_receiver import HttpReceiver, standard_site
from .namespaces import die_with_parent
from .recording import Recorder
from .registry_site import RegistrySite

CERTIFICATES = {"selfsigned": "selfsigned", "expired": "expired", "wrongname": "wrongname"}


def start_http_receivers(world):
    sites = {
        "git": GitSite(world.path("git")),
        "registry": RegistrySite(os.path.join(world.harness, "packages"), world.path("registry"), "https://registry.test"),
    }
    for name, places in addresses.HTTP_RECEIVERS.items():
        certificate = os.path.join(world.path("certificates"), CERTIFICATES.get(name, "good"))
        receiver = HttpReceiver(name, Recorder(world.logs, name), certificate, sites.get(name, standard_site))
        for address, port, tls in places:
            receiver.start(address, port, tls)


def start_raw_receivers(world, table):
    for name, places in table.items():
        raw_receivers.start(places, Recorder(world.logs, name))


def find_node(world):
    pinned = os.path.join(world.agents, "node_modules", ".bin", "node")
    return pinned if os.access(pinned, os.X_OK) else shutil.which("node")


def start_model_server(world):
    """None where there is no Node: then only the tests that need a model are skipped."""
    node = find_node(world)
    if not node:
        return None
    certificate = os.path.join(world.path("certificates"), "good")
    command = [node, os.path.join(world.agents, "model-server.mjs"), "--cert", certificate + ".crt", "--key", certificate + ".key",
               "--log", os.path.join(world.logs, "model.jsonl")]
    for address in (addresses.ANTHROPIC, addresses.OPENAI):
        command += ["--tls", f"{address}:443", "--plain", f"{address}:80"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, preexec_fn=lambda: die_with_parent(signal.SIGKILL))


def serve_outside(world):
    model = start_model_server(world)
    raw_receivers.Wire("cable0", Recorder(world.logs, "wire"))
    DnsServer(addresses.GATEWAY, Recorder(world.logs, "dns")).start()
    start_http_receivers(world)
    start_raw_receivers(world, addresses.RAW_RECEIVERS)
    if model and model.stdout.readline() != b"ready\n":
        raise RuntimeError("the model server did not start")


def serve_host(world):
    start_raw_receivers(world, addresses.HOST_RECEIVERS)


def fork_server(serve, world, go):
    """A process that waits for a byte on the pipe `go`, starts its servers, says "ready", and stays. Returns (pid, ready pipe)."""
    ready_read, ready_write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(ready_write)
        return pid, ready_read
    try:
        die_with_parent(signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command
        if os.read(go, 1):
            serve(world)
            os.write(ready_write, b"r")
            signal.pause()
    except BaseException as error:  # a server that can't start must say why
        os.write(2, f"world: {serve.__name__}: {type(error).__name__}: {error}\n".encode())
    os._exit(1)
