# SPDX-License-Identifier: Apache-2.0
"""What was imported (held.py), compared with the ledger: each conversation is there whole, in order and once, or not at all,
and one that somebody was told of is there; the first reply to the job that goes on with it says what the model was sent."""

from held import GOES_ON, PREFIX, Held, as_held

_CONVERSATIONS = f"""
SELECT c.tenant, c.conversation_id, c.imported_by,
  (SELECT coalesce(json_agg(i.message ORDER BY i.n), '[]') FROM inherited_messages i WHERE i.conversation = c.id) AS messages
FROM conversations c WHERE starts_with(c.conversation_id, '{PREFIX}')"""
_FIRST_REPLIES = f"""
SELECT j.tenant, j.job_id, s.message -> 'data' ->> 'content' AS said
FROM jobs j JOIN rounds r ON r.job = j.id AND r.round = 0 LEFT JOIN steps s ON s.job = j.id AND s.round = 0 AND s.step = 1
WHERE starts_with(r.message -> 'data' ->> 'content', '{GOES_ON}')"""


class Imported:
    """Of an installation at rest. `done` are the imports that somebody was told of. `count` messages are there."""

    def __init__(self, installation, done):
        self.violations = []
        self.count = 0
        left = {(held.tenant, held.conversation_id): held for held in done}
        for row in installation.database.rows(_CONVERSATIONS):
            if not left.pop((row["tenant"], row["conversation_id"]), None):
                self.violations.append(f"{row['tenant']}/{row['conversation_id']} is there, and nobody was told of it")
            self._check_messages(row)
        self.violations += [f"{held.name} was imported, and is not there" for held in left.values()]
        for row in installation.database.rows(_FIRST_REPLIES):
            right = Held(row["tenant"], int(row["job_id"].rpartition("-")[2])).answer()
            if row["said"] != right:
                self.violations.append(f"{row['tenant']}/{row['job_id']} was first told {row['said']!r}, right is {right!r}")

    def _check_messages(self, row):
        held = Held(row["tenant"], int(row["conversation_id"].removeprefix(PREFIX)))
        found = [as_held(message) for message in row["messages"]]
        self.count += len(found)
        if row["imported_by"] is None:
            self.violations.append(f"{held.name} was begun by a job, and not imported")
        if found != held.messages():
            self.violations.append(f"{held.name} was imported as {found}, right is {held.messages()}")
