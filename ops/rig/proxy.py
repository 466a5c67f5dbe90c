# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy in front of one server, to break what passes: cut, hold back, swallow, delay, refuse. What
goes to the server are requests, what comes back replies; each direction is broken by itself."""

import asyncio
import random
import socket
import struct
import threading

REQUESTS, REPLIES = "requests", "replies"
BOTH = (REQUESTS, REPLIES)
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER of no seconds: a close is a reset


class _Connection:
    """One client's. A direction that lost bytes is broken for good: healing cuts it."""

    def __init__(self, writers):
        self.writers = writers  # by direction, to its receiver
        self.left = {}  # bytes that may still pass, by direction
        self.lost_bytes = False

    def reset(self):
        for writer in self.writers.values():
            peer = writer.get_extra_info("socket")
            if peer is not None and peer.fileno() >= 0:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            writer.transport.abort()


class Proxy:
    """Runs in a thread of its own from start to close(); its methods are called from others."""

    def __init__(self, target, port=0):
        self.target = target  # (host, port)
        self.cuts = 0  # connections that were reset on purpose
        self._random = random.Random(0)
        self._connections = set()
        self._tasks = set()
        self._delay = 0.0
        self._swallowed = frozenset()
        self._refusing = False
        self._cut_after = {}  # direction -> most bytes
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        self._gates = self._call(self._make_gates())
        self._server = self._call(asyncio.start_server(self._accept, "127.0.0.1", port))
        self.port = self._server.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    def _do(self, function, *arguments):
        async def run():
            return function(*arguments)
        return self._call(run())

    @staticmethod
    async def _make_gates():
        gates = {direction: asyncio.Event() for direction in BOTH}
        for gate in gates.values():
            gate.set()
        return gates

    def cut(self, share, seed):
        """Resets about this share of the connections, but at least one. How many."""
        return self._do(self._cut, share, random.Random(seed))

    def cut_within(self, direction, bytes_max, seed):
        """Each connection is reset after at most so many more bytes of this direction, until heal()."""
        def set_rule():
            self._random.seed(seed)
            self._cut_after[direction] = bytes_max
            for connection in self._connections:
                connection.left[direction] = self._random.randint(1, bytes_max)
        self._do(set_rule)

    def hold(self, directions):
        """Nothing passes until heal(); then all of it does, even if its sender has gone meanwhile."""
        self._do(lambda: [self._gates[direction].clear() for direction in directions])

    def swallow(self, directions):
        """What is sent until heal() is lost, without the sender noticing."""
        self._do(lambda: setattr(self, "_swallowed", frozenset(directions)))

    def delay(self, seconds):
        """Each piece, in both directions."""
        self._do(lambda: setattr(self, "_delay", seconds))

    def refuse(self):
        """Resets every connection, new ones at once."""
        def set_rule():
            self._refusing = True
            self._cut(1.0, self._random)
        self._do(set_rule)

    def heal(self):
        def reset_rules():
            self._delay, self._swallowed, self._refusing = 0.0, frozenset(), False
            self._cut_after.clear()
            for connection in list(self._connections):
                connection.left.clear()
                if connection.lost_bytes:
                    self._reset(connection)
            for gate in self._gates.values():
                gate.set()
        self._do(reset_rules)

    def close(self):
        self.heal()

        async def stop():
            self._server.close()
            for connection in list(self._connections):
                connection.reset()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._call(stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _cut(self, share, chance):
        connections = sorted(self._connections, key=id)
        chosen = [c for c in connections if chance.random() < share] or connections[:1]
        for connection in chosen:
            self._reset(connection)
        return len(chosen)

    def _reset(self, connection):
        self.cuts += 1
        connection.reset()

    async def _accept(self, reader, writer):
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _serve(self, reader, writer):
        if self._refusing:
            _Connection({REPLIES: writer}).reset()
            return
        try:
            server_reader, server_writer = await asyncio.open_connection(*self.target)
        except OSError:
            _Connection({REPLIES: writer}).reset()
            return
        connection = _Connection({REQUESTS: server_writer, REPLIES: writer})
        for direction, most in self._cut_after.items():
            connection.left[direction] = self._random.randint(1, most)
        self._connections.add(connection)
        try:
            await asyncio.gather(self._pump(connection, REQUESTS, reader),
                                 self._pump(connection, REPLIES, server_reader))
        finally:
            self._connections.discard(connection)
            server_writer.transport.abort()

    async def _pump(self, connection, direction, reader):
        """Until the sender has ended; what it had sent before is still delivered."""
        writer = connection.writers[direction]
        try:
            while piece := await reader.read(1 << 16):
                await self._pass_on(connection, direction, writer, piece)
            await self._gates[direction].wait()
        except OSError:
            pass
        finally:
            writer.close()

    async def _pass_on(self, connection, direction, writer, piece):
        if self._delay:
            await asyncio.sleep(self._delay)
        await self._gates[direction].wait()
        if direction in self._swallowed:
            connection.lost_bytes = True
        if connection.lost_bytes:
            return
        left = connection.left.get(direction)
        if left is None:
            writer.write(piece)
        else:
            writer.write(piece[:left])
            connection.left[direction] = left - len(piece)
        await writer.drain()
        if left is not None and left <= len(piece):
            await asyncio.sleep(0.01)  # so that what is allowed to pass arrives before the reset
            self._reset(connection)
