# SPDX-License-Identifier: Apache-2.0
"""Prints COUNT free loopback ports: ports.py COUNT [PORT…]. The given ones are taken where they are
free, so that a stack keeps its ports from one time to the next.

New ones are below the range from which the kernel gives ports to outgoing connections. A server that is
killed and started again on its port must find it free; from that range, a client that tries to
connect meanwhile may be given the port, and is then connected to itself."""

import random
import socket
import sys

LOWEST = 15000


def ephemeral_start() -> int:
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as line:
            return int(line.read().split()[0])
    except (OSError, ValueError, IndexError):
        return 32768


def free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen()
        except OSError:
            return False
    return True


def any_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main(count: int, wished: list[int]) -> None:
    below = range(LOWEST, ephemeral_start())
    candidates = random.sample(below, min(1000, len(below))) if below else []
    ports = []
    for port in wished + candidates:
        if len(ports) == count:
            break
        if port not in ports and free(port):
            ports.append(port)
    while len(ports) < count:
        ports.append(any_port())
    print(*ports)


if __name__ == "__main__":
    main(int(sys.argv[1]), [int(port) for port in sys.argv[2:]])
