#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""What a worker keeps of a conversation, whatever was said in it, is taken by whoever is asked next: thousands of generated
histories, each of whose requests is held against the rules of its server. `histories_test.py PROGRAM [SEED]`: one alone."""

import collections
import copy
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from strict_model import history_breaks, history_servers
from strict_model.histories import Worker, play_all
from strict_model.rule import Request, violations

HISTORIES = 2_000


def play(program, seeds):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "models.yaml")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(history_servers.configuration())
        with Worker(program, path) as worker:
            return play_all(worker, seeds, print if GIVEN else lambda text: None)


class Histories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.counts, cls.faults, cls.requests = play(PROGRAM, SEEDS)

    def test_what_goes_back_breaks_no_rule(self):
        kinds = collections.Counter(fault.what.split(":")[0] for fault in self.faults)
        few = "\n".join(str(fault) for fault in self.faults[:30])
        self.assertFalse(self.faults, f"{dict(kinds)}\n{few}")

    def test_histories_hold_what_they_are_there_for(self):
        for kind in ("moves", "deaths", "kept by an earlier version", "refused as too long", "calls", "wide", "odd names",
                     "broken arguments", "calls cut", "cut", "thought cut", "thought only", "nothing", "paused",
                     "paused thinking", "nonsense", "lone surrogates",
                     *(f"at {name}" for name in history_servers.BY_NAME)):
            with self.subTest(kind):
                self.assertGreaterEqual(self.counts[kind], 10)
        self.assertGreaterEqual(self.counts["bound thoughts refused once"], 1)

    def test_whatever_is_broken_in_a_request_is_found(self):
        for protocol, breaks in history_breaks.BREAKS.items():
            for what, change in breaks.items():
                with self.subTest(protocol, what=what):
                    self._break(protocol, change)

    def _break(self, protocol, change):
        tried = 0
        for rules, request in self.requests:
            if history_breaks.protocol_of(request) != protocol:
                continue
            broken = Request(copy.deepcopy(request.body), request.headers, request.said)
            if not change(broken.body):
                continue
            tried += 1
            self.assertTrue(violations(rules, broken), broken.body)
            if tried == 20:
                return
        self.assertGreaterEqual(tried, 20, "there are too few requests that can be broken so")


if __name__ == "__main__":
    PROGRAM, *GIVEN = sys.argv[1:]
    SEEDS = [int(seed) for seed in GIVEN] or range(HISTORIES)
    unittest.main(argv=[sys.argv[0]] + (["Histories.test_what_goes_back_breaks_no_rule"] if GIVEN else []))
