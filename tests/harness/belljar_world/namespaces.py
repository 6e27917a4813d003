"""unshare, mount and the two network namespaces, through libc: Python 3.11 has no calls for them."""
import ctypes
import os
import socket

from . import addresses
from .netlink import Netlink

NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x00020000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV, MS_NOEXEC = 4096, 16384, 1 << 18, 2, 4, 8
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None, use_errno=True)
libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]


def checked(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags):
    checked(libc.unshare(flags), "unshare")


def mount(source, target, kind, flags):
    encode = lambda text: None if text is None else os.fsencode(text)
    checked(libc.mount(encode(source), encode(target), encode(kind), flags, None), f"mount {target}")


def die_with_parent(signal_number):
    checked(libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "prctl")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def enter_user_namespace():
    """A user namespace in which the caller keeps its own ids: whatever it executes is an ordinary user again."""
    uid, gid = os.getuid(), os.getgid()
    unshare(NEWUSER)
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{uid} {uid} 1")
    write("/proc/self/gid_map", f"{gid} {gid} 1")


def bind_file(source, target):
    """Shows the file source in place of target; follows target where it is a symbolic link."""
    mount(source, os.path.realpath(target), None, MS_BIND)


def index_of(name):
    return socket.if_nametoindex(name)


def enter_outside():
    """Makes the outside's network namespace the caller's; returns what lay_cable() needs."""
    unshare(NEWNET)
    # Servers that were executed have no capabilities when an ordinary user runs the world.
    write("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0")
    return Netlink(), os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def enter_host_and_lay_cable(outside):
    """Makes the host's network namespace the caller's and connects it with the outside."""
    out, out_namespace = outside
    unshare(NEWNET)
    host = Netlink()
    host.bring_up(index_of("lo"))
    host.make_cable("eth0", "cable0", out_namespace)
    host.add_address(index_of("eth0"), addresses.HOST_LAN, 24)
    host.add_address(index_of("eth0"), addresses.HOST_LAN_V6, 64)
    host.bring_up(index_of("eth0"))

    cable = index_in(out_namespace, "cable0")
    out.bring_up(1)
    out.add_address(cable, addresses.GATEWAY, 24)
    out.add_address(cable, addresses.GATEWAY_V6, 64)
    out.bring_up(cable)
    for address in addresses.OUTSIDE_ADDRESSES:
        out.add_address(1, address, 32)
    for address in addresses.OUTSIDE_ADDRESSES_V6:
        out.add_address(1, address, 128)
    host.add_default_route(index_of("eth0"), addresses.GATEWAY)
    host.add_default_route(index_of("eth0"), addresses.GATEWAY_V6)


def index_in(namespace, name):
    """The index of an interface in another network namespace: visit it and come back."""
    here = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        checked(libc.setns(namespace, NEWNET), "setns")
        return index_of(name)
    finally:
        checked(libc.setns(here, NEWNET), "setns back")
        os.close(here)
