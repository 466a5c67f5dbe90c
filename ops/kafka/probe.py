# SPDX-License-Identifier: Apache-2.0
"""probe.py PORT SECONDS [FOLDER] says by its exit code whether the broker at 127.0.0.1:PORT serves clients within SECONDS,
over TLS with the certificate kafka-admin of FOLDER where that is named: it answers a metadata request and counts itself
among the live brokers. An open port says less, since it opens earlier."""

import socket
import ssl
import struct
import sys
import time

METADATA, VERSION, NO_TOPICS = 3, 1, 0
PAUSE_SECONDS = 0.05


def connect(port: int, seconds: float, folder: str | None) -> socket.socket:
    plain = socket.create_connection(("127.0.0.1", port), timeout=seconds)
    if folder is None:
        return plain
    try:
        context = ssl.create_default_context(cafile=f"{folder}/ca.pem")
        context.load_cert_chain(f"{folder}/kafka-admin.crt", f"{folder}/kafka-admin.key")
        return context.wrap_socket(plain, server_hostname="127.0.0.1")
    except OSError:
        plain.close()
        raise


def ask(port: int, seconds: float, folder: str | None) -> bytes:
    client = b"probe"
    header = struct.pack(">hhih", METADATA, VERSION, 1, len(client)) + client
    request = header + struct.pack(">i", NO_TOPICS)
    with connect(port, seconds, folder) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        with connection.makefile("rb") as reply:
            (size,) = struct.unpack(">i", reply.read(4))
            return reply.read(size)


def serves(port: int, seconds: float, folder: str | None) -> bool:
    try:
        _, brokers = struct.unpack_from(">ii", ask(port, seconds, folder))
    except (OSError, struct.error):
        return False
    return brokers > 0


def main(port: int, seconds: float, folder: str | None = None) -> bool:
    end = time.monotonic() + seconds
    while not serves(port, seconds, folder):
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE_SECONDS)
    return True


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:4]) else 1)
