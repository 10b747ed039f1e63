"""A network of one machine: a namespace in which only loopback exists."""

import fcntl
import os
import shutil
import socket
import struct
import sys

INSIDE = "REAL_PEERS_NAMESPACE"
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1


def enter() -> None:
    """Starts this program again without any other network, unless it is in there already."""
    if os.environ.get(INSIDE) != "yes":
        unshare = shutil.which("unshare")
        if unshare is None:
            sys.exit("error: `unshare` is needed to keep the programs off the network; it is part of util-linux")
        # Who is not root becomes the root of a user namespace of their own, which owns the network.
        how = ["--net"] if os.geteuid() == 0 else ["--map-root-user", "--net"]
        os.environ[INSIDE] = "yes"
        os.execv(unshare, [unshare, *how, "--", sys.executable, *sys.argv])
    raise_loopback()
    others = [name for _, name in socket.if_nameindex() if name != "lo" and is_up(name)]
    if others:
        sys.exit(f"error: there is still a network here: {', '.join(others)}")


def flags(name: str, number: int, value: int) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sH14s", name.encode(), value, b"")
        return struct.unpack("16sH14s", fcntl.ioctl(sock, number, request))[1]


def is_up(name: str) -> bool:
    return bool(flags(name, SIOCGIFFLAGS, 0) & IFF_UP)


def raise_loopback() -> None:
    flags("lo", SIOCSIFFLAGS, flags("lo", SIOCGIFFLAGS, 0) | IFF_UP)
