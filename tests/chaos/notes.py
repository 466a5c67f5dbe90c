# SPDX-License-Identifier: Apache-2.0
"""What a server of tools has written down (notes_server.py), compared with what the ledger says of the calls: one that
succeeded wrote its note once, one that failed wrote none, one that is unknown at most one."""

import collections
import json

_CALLS = """
SELECT t.job, t.round, t.state, t.parameters, t.message FROM tool_calls t
WHERE t.tool_name = 'notes_write' AND NOT t.copied"""
_RIGHT = {"succeeded": (1,), "failed": (0,), "unknown": (0, 1)}


class Notes:
    """Of an installation at rest. `count` notes, `unknown` calls."""

    def __init__(self, installation):
        self.violations = []
        self.unknown = 0
        left = self._read(installation.notes)
        self.count = left.total()
        for call in installation.database.rows(_CALLS):
            word = json.loads(call["parameters"])["word"]
            name = f"the note {word} of job {call['job']}, round {call['round']}"
            times = left.pop(word, 0)
            if times not in _RIGHT.get(call["state"], ()):
                self.violations.append(f"{name} {call['state']}, and is there {times} times")
            if call["state"] == "succeeded" and f"noted {word}" not in json.dumps(call["message"]):
                self.violations.append(f"{name} succeeded, and its answer is {call['message']}")
            self.unknown += call["state"] == "unknown"
        self.violations += [f"no call wrote the note {word}" for word in left]

    @staticmethod
    def _read(path):
        try:
            with open(path, encoding="utf-8") as file:
                return collections.Counter(file.read().split())
        except FileNotFoundError:
            return collections.Counter()
