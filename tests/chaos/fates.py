# SPDX-License-Identifier: Apache-2.0
"""How each job had to end: completed, but for those that were cancelled and those over which too many workers
died; and which dead letters there had to be."""

import collections
import json

from words import DEADLY

CANCEL_SECONDS = 15  # from a request that is stored to the end of the job, with outages between
_ATTEMPTS = """
SELECT j.tenant, j.job_id, j.outcome, j.attempt, j.result_id, j.request,
  (SELECT count(*) FROM attempts a WHERE a.job = j.id AND a.ending = 'crashed') AS crashes,
  extract(epoch FROM j.finished_at - j.requested_at) AS went_on
FROM jobs j WHERE j.state = 'finished' AND j.parent IS NULL"""


class Fates:
    """`cancelled` are the jobs that were to be; `attempts_max` is the installation's."""

    def __init__(self, attempts_max, cancelled=()):
        self._attempts_max = attempts_max
        self._cancelled = cancelled
        self.poisoned = 0

    def outcomes(self, job, row):
        """The right ones of a job with this row of Exactness."""
        if row["crashes"] >= self._attempts_max:
            right = ("poisoned",)
        elif job["job_id"].startswith(DEADLY):
            return ()  # it must go on until then
        else:
            right = ("completed",)
        return (*right, "cancelled") if (job["tenant"], job["job_id"]) in self._cancelled else right

    def violations(self, database, dead_letters):
        """Beside the outcomes. `dead_letters` as read from their topic."""
        rows = {(row["tenant"], row["job_id"]): row for row in database.rows(_ATTEMPTS)}
        found = []
        for key, row in rows.items():
            name = "/".join(key)
            if row["attempt"] != row["crashes"] + 1:
                found.append(f"{name} ended in attempt {row['attempt']} after {row['crashes']} crashes")
            if row["request"] == "cancel" and row["outcome"] == "completed" and row["went_on"] > CANCEL_SECONDS:
                found.append(f"{name} went on for {row['went_on']} s after it was cancelled")
        poisoned = collections.Counter(key for key, row in rows.items() if row["outcome"] == "poisoned")
        self.poisoned = poisoned.total()
        letters = [json.loads(letter.value()) for letter in dead_letters]
        seen = collections.Counter((letter["tenant"], letter["job_id"]) for letter in letters
                                   if letter.get("code") == "ATTEMPTS_EXHAUSTED")
        if seen != poisoned or len(letters) != seen.total():
            found.append(f"poisoned are {sorted(poisoned)}, the dead letters {letters}")
        return found
