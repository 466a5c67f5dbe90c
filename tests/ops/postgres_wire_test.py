#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""What ops/rig/postgres_wire.py counts of a client's messages: the same whether they come one by one or in a pipeline,
whole or in pieces."""

import os
import socket
import struct
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../ops"))

# pylint: disable=wrong-import-position
from rig.postgres_wire import ClientMessages, PostgresWire

STARTUP = struct.pack("!II", 8, 196608)
SSL_REQUEST = struct.pack("!II", 8, 80877103)
INSERT = "INSERT INTO steps SELECT * FROM unnest($1)"
LOOK = "SELECT 1 FROM jobs"


def message(kind, *texts):
    body = b"".join(text.encode() + b"\0" for text in texts)
    return kind + struct.pack("!I", len(body) + 4) + body


def query(sql):
    return message(b"Q", sql)


def prepare(name, sql):
    return message(b"P", name, sql)


def execute(name):
    return message(b"B", "", name) + message(b"D", "P") + message(b"E", "")


SYNC = message(b"S")


def read(*pieces, size=None):
    """The transactions that end, of messages in pieces of `size` bytes."""
    done = []
    session = ClientMessages(done.append)
    stream = b"".join((STARTUP, message(b"p", "password"), *pieces))
    for at in range(0, len(stream), size or len(stream)):
        session.read(stream[at:at + (size or len(stream))])
    return done


ONE_BY_ONE = (query("BEGIN"), prepare("insert_steps", INSERT), SYNC, execute("insert_steps"), SYNC, execute("insert_steps"), SYNC,
              query("COMMIT"))
IN_A_PIPELINE = (prepare("", "BEGIN"), execute(""), prepare("insert_steps", INSERT), execute("insert_steps"), SYNC,
                 execute("insert_steps"), prepare("", "COMMIT"), execute(""), SYNC)


class Wire(unittest.TestCase):
    def test_one_by_one_each_statement_is_a_round_trip(self):
        (one,) = read(*ONE_BY_ONE)
        self.assertEqual((one.statements, one.round_trips), ([INSERT, INSERT], 4))
        self.assertTrue(one.writes(("steps", "rounds")))
        self.assertFalse(one.writes(("rounds", "step")))

    def test_in_a_pipeline_a_sync_is(self):
        (one,) = read(*IN_A_PIPELINE)
        self.assertEqual((one.statements, one.round_trips), ([INSERT, INSERT], 2))

    def test_a_transaction_in_one_message_is_one(self):
        (one, other) = read(query(f"BEGIN READ ONLY; {LOOK}; ROLLBACK"), query("SELECT 2"))
        self.assertEqual((one.statements, one.round_trips), ([f" {LOOK}"], 1))
        self.assertEqual(other.statements, ["SELECT 2"])

    def test_pieces_of_any_size_are_the_same(self):
        for pieces in (ONE_BY_ONE, IN_A_PIPELINE):
            for size in (1, 2, 7, 64):
                self.assertEqual(read(*pieces, size=size), read(*pieces))

    def test_preparing_alone_is_nothing(self):
        self.assertEqual(read(prepare("look", LOOK), SYNC), [])

    def test_outside_of_a_block_each_is_one_by_itself(self):
        alone = read(prepare("look", LOOK), SYNC, execute("look"), SYNC, query("SELECT 2"))
        self.assertEqual([one.statements for one in alone], [[LOOK], ["SELECT 2"]])
        self.assertEqual([one.round_trips for one in alone], [1, 1])
        self.assertFalse(alone[0].writes(("jobs",)))

    def test_a_block_that_is_rolled_back_has_ended(self):
        first, second = read(query("BEGIN READ ONLY"), query(LOOK), query("ROLLBACK"), query(LOOK))
        self.assertEqual((first.statements, second.statements), ([LOOK], [LOOK]))
        self.assertEqual((first.round_trips, second.round_trips), (3, 1))

    def test_sent_bytes_are_all_of_a_block(self):
        (one,) = read(*ONE_BY_ONE)
        self.assertEqual(one.bytes_sent, sum(map(len, ONE_BY_ONE)))

    def test_a_refused_request_for_tls_comes_before_the_start(self):
        done = []
        ClientMessages(done.append).read(SSL_REQUEST + STARTUP + query(LOOK))
        self.assertEqual([one.statements for one in done], [[LOOK]])

    def test_what_passes_is_what_was_sent(self):
        """Both ways, and the client's end reaches the server."""
        got = []
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def serve():
                server, _ = listener.accept()
                with server:
                    while piece := server.recv(100):
                        got.append(piece)
                    server.sendall(b"answer")
            serving = threading.Thread(target=serve)
            serving.start()
            sent = b"".join((STARTUP, *ONE_BY_ONE))
            with PostgresWire(listener.getsockname()) as wire:
                with socket.create_connection(("127.0.0.1", wire.port)) as client:
                    client.sendall(sent)
                    client.shutdown(socket.SHUT_WR)
                    self.assertEqual(client.recv(100), b"answer")
                self.assertEqual(len(wire.transactions()), 1)
            serving.join()
        self.assertEqual(b"".join(got), sent)


if __name__ == "__main__":
    unittest.main()
