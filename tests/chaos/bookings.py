# SPDX-License-Identifier: Apache-2.0
"""The rows that database_write wrote, compared with what the ledger says of its calls: whatever was lost on the
way, a call that succeeded wrote its row once, one that failed wrote none, one that is unknown at most one."""

import collections
import json
import re

_CALLS = """
SELECT t.job, t.round, t.state, t.parameters, t.message FROM tool_calls t
WHERE t.tool_name = 'database_write' AND NOT t.copied"""
_WORD = re.compile(r"VALUES \('([\w-]+)'\)")
_RIGHT = {"succeeded": (1,), "failed": (0,), "unknown": (0, 1)}
_ANSWER = "1 row inserted into bookings"


class Bookings:
    """Of an installation at rest. `count` rows, `unknown` calls."""

    def __init__(self, installation):
        self.violations = []
        self.unknown = 0
        rows = installation.database.rows("SELECT word, count(*) AS n FROM public.bookings GROUP BY word")
        left = collections.Counter({row["word"]: row["n"] for row in rows})
        self.count = left.total()
        for call in installation.database.rows(_CALLS):
            self._check(call, left)
        self.violations += [f"no call made the booking {word}" for word in left]

    def _check(self, call, left):
        word = _WORD.search(call["parameters"]).group(1)
        name = f"the booking {word} of job {call['job']}, round {call['round']}"
        times = left.pop(word, 0)
        if times not in _RIGHT.get(call["state"], ()):
            self.violations.append(f"{name} {call['state']}, and is there {times} times")
        if call["state"] == "succeeded" and _ANSWER not in json.dumps(call["message"]):
            self.violations.append(f"{name} succeeded, and its answer is {call['message']}")
        self.unknown += call["state"] == "unknown"
