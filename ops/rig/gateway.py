# SPDX-License-Identifier: Apache-2.0
"""What stands between a worker and the world where that is guarded: a forward proxy that asks for a user and a
password (CONNECT only), TLS in front of a plain server, and a collector that takes telemetry over TLS and
writes a line for each request. Runs by itself as a part of a secure stack, or its pieces in a test.

Names end in .stack.test: only the proxy knows where they are, so that nobody comes past it."""

import argparse
import asyncio
import base64
import json
import os
import signal
import ssl
import sys
import threading

# By itself it has no place to import from.
sys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from rig.posts import serve_posts  # pylint: disable=wrong-import-position

SUFFIX = ".stack.test"
_HEAD_BYTES_MAX = 16384


def server_context(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(os.path.join(folder, "gateway.crt"), os.path.join(folder, "gateway.key"))
    return context


async def _pass(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def _join(client, server):
    await asyncio.gather(_pass(client[0], server[1]), _pass(server[0], client[1]))


class ForwardProxy:
    """`refused` counts who came without the right words, `passed` who came with them."""

    def __init__(self, user, password):
        self._login = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.refused = self.passed = 0

    async def accept(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            target = self._target(head)
            if isinstance(target, int):
                server = await asyncio.open_connection("127.0.0.1", target)
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await _join((reader, writer), server)
            else:
                writer.write(f"HTTP/1.1 {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    def _target(self, head):
        """A port of this machine, or what the client is told instead."""
        first, *lines = head.split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if headers.get("proxy-authorization") != self._login:
            self.refused += 1
            return '407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="stack"'
        method, _, rest = first.partition(" ")
        host, _, port = rest.partition(" ")[0].rpartition(":")
        if method != "CONNECT" or not host.endswith(SUFFIX) or not port.isdigit():
            return "403 Forbidden"
        self.passed += 1
        return int(port)


def front_of(port):
    """Takes TLS connections for a plain server of this machine."""
    async def accept(reader, writer):
        try:
            await _join((reader, writer), await asyncio.open_connection("127.0.0.1", port))
        except OSError:
            writer.close()
    return accept


class Gateway:
    """Runs in a thread of its own until close()."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="gateway", daemon=True).start()

    def serve(self, accept, port=0, context=None):
        """The port that is listened on."""
        async def start():
            return await asyncio.start_server(accept, "127.0.0.1", port, ssl=context, limit=_HEAD_BYTES_MAX)
        server = asyncio.run_coroutine_threadsafe(start(), self._loop).result(30)
        return server.sockets[0].getsockname()[1]

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)


def collector(journal):
    """A plain server; each request is one line of the journal: its path and how many bytes it had."""
    def take(path, _headers, body):
        with open(journal, "a", encoding="utf-8") as file:
            file.write(json.dumps({"path": path, "bytes": len(body)}) + "\n")
        return 200
    return serve_posts(take)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--secure", required=True, help="folder of certificates and passwords")
    parser.add_argument("--proxy", type=int, required=True)
    parser.add_argument("--collector", type=int, required=True)
    parser.add_argument("--front", action="append", default=[], help="PORT=PLAIN_PORT")
    parser.add_argument("--journal", required=True)
    options = parser.parse_args()
    with open(os.path.join(options.secure, "passwords/proxy"), encoding="ascii") as file:
        proxy = ForwardProxy("stack", file.read())
    context = server_context(options.secure)
    gateway = Gateway()
    gateway.serve(proxy.accept, options.proxy)
    for front in options.front:
        port, _, plain = front.partition("=")
        gateway.serve(front_of(int(plain)), int(port), context)
    gateway.serve(front_of(collector(options.journal).server_port), options.collector, context)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    main()
