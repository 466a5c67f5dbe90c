# SPDX-License-Identifier: Apache-2.0
"""Says by its exit code whether the broker at 127.0.0.1:PORT serves clients: it answers a metadata
request and counts itself among the live brokers. An open port says less, since it opens earlier."""

import socket
import struct
import sys

METADATA, VERSION, NO_TOPICS = 3, 1, 0


def ask(port: int, seconds: float) -> bytes:
    client = b"probe"
    header = struct.pack(">hhih", METADATA, VERSION, 1, len(client)) + client
    request = header + struct.pack(">i", NO_TOPICS)
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        with connection.makefile("rb") as reply:
            (size,) = struct.unpack(">i", reply.read(4))
            return reply.read(size)


def main(port: int, seconds: float) -> bool:
    try:
        _, brokers = struct.unpack_from(">ii", ask(port, seconds))
    except (OSError, struct.error):
        return False
    return brokers > 0


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]), float(sys.argv[2])) else 1)
