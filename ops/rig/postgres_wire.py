# SPDX-License-Identifier: Apache-2.0
"""Stands between a client and its PostgreSQL and writes down what is asked: statements, transactions, round trips, bytes.
It reads the client's messages (protocol 3.0, without TLS) and changes none."""

import dataclasses
import re
import socket
import struct
import threading

_CANCEL, _SSL, _GSS = 80877102, 80877103, 80877104
_BEGINS = ("BEGIN", "START")
_ENDS = ("COMMIT", "ROLLBACK", "END", "ABORT")


@dataclasses.dataclass
class Transaction:
    """Of one session. A statement outside of any block is one by itself."""

    statements: list = dataclasses.field(default_factory=list)  # their texts; without BEGIN and COMMIT
    round_trips: int = 0  # times that the client let the server answer all it had sent
    bytes_sent: int = 0

    def writes(self, tables):
        """Whether a statement adds to one of these tables, or changes it."""
        names = "|".join(tables)
        return any(re.search(rf"\b(?:INSERT INTO|UPDATE)\s+(?:\w+\.)?(?:{names})\b", sql) for sql in self.statements)


class ClientMessages:
    """Reads what one client sends, in pieces of any size."""

    def __init__(self, done):
        self._done = done  # called with each transaction that has ended
        self._buffer = b""
        self._started = False
        self._texts = {}  # of prepared statements, by their names
        self._portals = {}
        self._block = Transaction()
        self._open = False
        self._ended = False  # by a COMMIT whose answer is still to come
        self._executed = False  # anything since the last round trip

    def read(self, piece):
        self._buffer += piece
        while self._take():
            pass

    def _take(self):
        """One message, if it is complete."""
        head = 1 if self._started else 0
        if len(self._buffer) < head + 4:
            return False
        (length,) = struct.unpack_from("!I", self._buffer, head)
        if len(self._buffer) < head + length:
            return False
        kind, body = self._buffer[:head], self._buffer[head + 4:head + length]
        self._buffer = self._buffer[head + length:]
        if self._started:
            self._message(kind, body, head + length)
        else:
            self._started = struct.unpack_from("!I", body)[0] not in (_SSL, _GSS, _CANCEL)
        return True

    def _message(self, kind, body, size):
        if kind == b"p":  # of the login
            return
        words = body.split(b"\0", 2)
        self._block.bytes_sent += size
        if kind == b"P":
            self._texts[words[0]] = words[1].decode()
        elif kind == b"B":
            self._portals[words[0]] = self._texts.get(words[1], words[1].decode())
        elif kind == b"E":
            self._execute(self._portals[words[0]])
        elif kind == b"Q":
            self._execute(words[0].decode())
        if kind in (b"Q", b"S"):
            self._round_trip()

    def _execute(self, sql):
        self._executed = True
        words = sql.split()
        first = words[0].upper().rstrip(";") if words else ""
        parts = [part for part in sql.split(";") if part.strip()]
        if first in _BEGINS and len(parts) > 1:  # a whole transaction in one message
            for part in parts:
                self._execute(part)
        elif first in _BEGINS:
            self._open = True
        elif first in _ENDS and len(words) < 3:
            self._open, self._ended = False, True
        else:
            self._block.statements.append(sql)

    def _round_trip(self):
        """What only prepares a statement, once in a session's life, is none."""
        self._block.round_trips += 1 if self._executed else 0
        self._executed = False
        if self._ended or not self._open:
            if self._block.round_trips:
                self._done(self._block)
            self._block, self._ended = Transaction(), False


class PostgresWire:
    """Listens on a port of its own from start to close(), with threads of its own."""

    def __init__(self, target):
        self._target = target  # (host, port)
        self._lock = threading.Lock()
        self._transactions = []
        self._sockets = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="postgres-wire", daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()

    def transactions(self):
        """All that have ended so far."""
        with self._lock:
            return list(self._transactions)

    def close(self):
        with self._lock:
            ends, self._sockets = self._sockets, []
        for end in (self._listener, *ends):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def _note(self, transaction):
        with self._lock:
            self._transactions.append(transaction)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
            except OSError:
                return
            with self._lock:
                self._sockets += [client, server]
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            session = ClientMessages(self._note)
            for source, sink, read in ((client, server, session.read), (server, client, lambda piece: None)):
                threading.Thread(target=self._pass_on, args=(source, sink, read), daemon=True).start()

    @staticmethod
    def _pass_on(source, sink, read):
        try:
            while piece := source.recv(1 << 16):
                read(piece)
                sink.sendall(piece)
        except OSError:
            pass
        finally:
            try:
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass
