# SPDX-License-Identifier: Apache-2.0
"""Results that calls share (the cache) and those kept beside their conversation (artifacts), whoever died while they
were made: no call was led nowhere, and of an installation at rest nothing is left to clean away."""

import os

from installation import CLEANUP_SECONDS
from rig.database import psql
from rig.waiting import wait_until

# A call that names an artifact which the model was told of, of a job that had not ended.
_LED_NOWHERE = """
SELECT t.job, t.round, t.parameters FROM tool_calls t
WHERE t.error_code = 'ARTIFACT_NOT_FOUND' AND t.parameters LIKE '%artifact\\_%'"""
_COUNTS = """
SELECT count(*) FILTER (WHERE cache_hit) AS hits,
  count(*) FILTER (WHERE cache_hit AND split_part(cache_origin, '/', 1)::bigint <> job) AS of_others,
  count(*) FILTER (WHERE artifact_id IS NOT NULL) AS kept,
  count(*) FILTER (WHERE tool_name = 'file_reader' AND state = 'succeeded') AS read
FROM tool_calls WHERE NOT copied"""
# A result's call is in the ledger, and that call ran.
_WITHOUT_ORIGIN = """
SELECT r.tool, r.job, r.round FROM tool_results r WHERE NOT EXISTS (
  SELECT FROM tool_calls t WHERE (t.job, t.round, t.step, t.idx) = (r.job, r.round, r.step, r.idx))"""
# A day older: with a conversation that was named a later job might go on, so its artifacts go by age.
_AGE = """
UPDATE ba.artifacts a SET made_at = made_at - interval '25 hours' WHERE EXISTS (
  SELECT FROM ba.artifact_references r JOIN ba.conversations c ON c.id = r.conversation
  WHERE r.tenant = a.tenant AND r.artifact = a.id AND c.conversation_id !~ '^(job|sub-agent):')"""


class KeptResults:
    """Of an installation at rest, with a worker that cleans up, which takes up to `seconds`. `counts` by what they
    are of."""

    def __init__(self, installation, seconds=4 * CLEANUP_SECONDS + 20):
        database = installation.database
        self.violations = [f"job {row['job']}, round {row['round']} was led nowhere: {row['parameters']}"
                           for row in database.rows(_LED_NOWHERE)]
        self.violations += [f"a result of {row['tool']} came from a call that is unknown: job {row['job']}, round"
                            f" {row['round']}" for row in database.rows(_WITHOUT_ORIGIN)]
        (self.counts,) = database.rows(_COUNTS)
        psql(database.url, _AGE)
        self._wait_until_clean(installation, seconds)

    def _wait_until_clean(self, installation, seconds):
        """All jobs have ended, so no conversation needs what is kept."""
        def left():
            rows = installation.database.try_value("SELECT count(*) AS n FROM artifacts")
            return rows, [name for _, _, names in os.walk(installation.artifacts) for name in names]
        try:
            wait_until(lambda: left() == (0, []), seconds, lambda: f"{left()} is left of artifacts")
        except AssertionError as error:
            self.violations.append(str(error))
