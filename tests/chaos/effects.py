# SPDX-License-Identifier: Apache-2.0
"""Every effect that the counted tools had, compared with what the ledger says of their calls."""

import collections
import json

_CALLS = """
SELECT t.job, t.round, t.step, t.idx, t.effect, t.state, j.outcome FROM tool_calls t JOIN jobs j ON j.id = t.job
WHERE t.tool_name LIKE 'effect\\_%' AND NOT t.copied"""


def _identity(entry):
    return entry["job"], entry["round"], entry["step"], entry["idx"]


def read_journal(installation):
    """Every effect there was, in order."""
    try:
        with open(installation.journal, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    except FileNotFoundError:
        return []
    return _without_the_barred(lines)


def _without_the_barred(lines):
    """The receiver of reconcilable calls refuses a request that began before a question about its key
    (tests/support/effect_journal.hpp)."""
    questions = collections.Counter()
    effects = []
    for line in lines:
        if line["class"] == "question":
            questions[line["key"]] += 1
        elif line.get("questions", 0) == questions[line["key"]]:
            effects.append(line)
    return effects


class Effects:
    """Of an installation at rest. `runs` and `unknown` count what happened, by class. `journal` are the effects
    that the ledger has to know; all of them by default."""

    def __init__(self, installation, journal=None):
        self.violations = []
        self.runs = collections.Counter()
        self.unknown = 0
        keys = self._keys(read_journal(installation) if journal is None else journal)
        calls = {_identity(row): row for row in installation.database.rows(_CALLS)}
        for call in keys.keys() - calls.keys():
            self.violations.append(f"effect of call {call}: the ledger knows no such call")
        for call, row in calls.items():
            self._check(call, row, keys.get(call, []))
        self._check_keys_are_distinct(keys, calls)

    def _keys(self, journal):
        """The idempotency key of each run, by call."""
        keys = collections.defaultdict(list)
        for entry in journal:
            keys[_identity(entry)].append(entry["key"])
            self.runs[entry["class"]] += 1
        return keys

    def _check(self, call, row, keys):
        effect, state = row["effect"], row["state"]
        allowed = {"once": ("succeeded", "unknown")}.get(effect, ("succeeded",))
        if row["outcome"] != "completed":
            allowed = ("succeeded", "failed") if effect == "pure" else ("succeeded", "failed", "unknown")
        if state not in allowed:
            self.violations.append(f"{effect} call {call} of a job that is {row['outcome']} is {state}")
        if effect != "pure" and state == "failed" and keys:
            self.violations.append(f"{effect} call {call} failed, and had its effect")
        if state == "succeeded" and not keys:
            self.violations.append(f"{effect} call {call} succeeded without its effect")
        if effect in ("once", "reconcilable") and len(keys) > 1:
            self.violations.append(f"{effect} call {call} had its effect {len(keys)} times")
        if effect == "keyed" and len(set(keys)) > 1:
            self.violations.append(f"keyed call {call} ran with the keys {sorted(set(keys))}")
        self.unknown += state == "unknown"

    def _check_keys_are_distinct(self, keys, calls):
        """Else a receiver would take one call for the repetition of another."""
        used_by = collections.defaultdict(set)
        for call, seen in keys.items():
            if call in calls and calls[call]["effect"] == "keyed":
                for key in seen:
                    used_by[key].add(call)
        for key, callers in used_by.items():
            if len(callers) > 1 or not key:
                self.violations.append(f"the key '{key}' is that of {len(callers)} calls")
