# SPDX-License-Identifier: Apache-2.0
"""Which version of the program worked on a job and which finished it, and whether its result says so."""

_JOBS = """
SELECT j.tenant, j.job_id, convert_from(j.result, 'UTF8')::json->>'worker_version' AS said,
  (SELECT json_agg(i.version ORDER BY a.claim) FROM attempts a JOIN incarnations i ON i.id = a.incarnation
   WHERE a.job = j.id AND a.ending = 'finished') AS finishers,
  (SELECT count(DISTINCT i.version) FROM attempts a JOIN incarnations i ON i.id = a.incarnation
   WHERE a.job = j.id) AS versions
FROM jobs j WHERE j.state = 'finished' AND octet_length(j.result) > 0"""


class Versions:
    """Of an installation at rest. `changed` jobs were begun by one version and gone on with by another."""

    def __init__(self, installation):
        self.violations = []
        self.changed = 0
        for row in installation.database.rows(_JOBS):
            self.changed += row["versions"] > 1
            if row["finishers"] != [row["said"]]:
                self.violations.append(f"{row['tenant']}/{row['job_id']} was finished by {row['finishers']}, its"
                                       f" result says {row['said']}")
