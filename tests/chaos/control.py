# SPDX-License-Identifier: Apache-2.0
"""A person who cancels, pauses and resumes jobs by command."""

import json

from person import Person
from rig.database import DatabaseError
from rig.waiting import wait_until

_EVERY = (0.05, 0.4)  # seconds
_ACTIONS = ("cancel", "pause", "pause", "resume", "resume")
_EXIT_CODES = (0, 1, 69, 75)  # done, refused, nobody there, too slow
_RESUME_SECONDS = 60
# Jobs with a conversation of their own: of nobody else's answers one changes.
_UNDER_WAY = """
SELECT j.tenant, j.job_id FROM jobs j JOIN conversations c ON c.id = j.conversation
WHERE c.conversation_id NOT LIKE 'talk%' AND j.job_id LIKE 'job-%' AND j.parent IS NULL
  AND j.state IN ('ready', 'running')"""
_PAUSED = "SELECT tenant, job_id FROM jobs WHERE state = 'paused' OR request = 'pause' AND state <> 'finished'"


class Control(Person):
    """`cancelled` are the jobs that were to be cancelled, `counts` the commands that changed something, and those in
    vain: of a job that had ended meanwhile, or a server that was down."""

    def __init__(self, installation, seed):
        super().__init__(installation, seed, "commands", _EVERY)
        self.cancelled = set()

    def finish(self):
        """Whatever is paused goes on."""
        super().finish()
        wait_until(self._resume_all, _RESUME_SECONDS, lambda: f"all jobs go on; {self._installation.explain()}")

    def act(self):
        action = self._random.choice(_ACTIONS)
        jobs = self._jobs(_PAUSED if action == "resume" else _UNDER_WAY)
        if jobs:
            self._ask(action, self._random.choice(jobs))

    def _jobs(self, query):
        """None while the server does not answer."""
        try:
            return [(row["tenant"], row["job_id"]) for row in self._installation.database.rows(query)]
        except DatabaseError:
            return None

    def _resume_all(self):
        jobs = self._jobs(_PAUSED)
        for job in jobs or ():
            self._ask("resume", job)
        return jobs == []

    def _ask(self, action, job):
        if action == "cancel":
            self.cancelled.add(job)  # also where the answer is lost
        tenant, job_id = job
        run = self._installation.call("job", action, job_id, "--tenant", tenant, "--by", "chaos", "--json")
        if run.returncode not in _EXIT_CODES:
            self.violations.append(f"job {action} {tenant}/{job_id} ended with {run.returncode}: {run.stderr}")
        elif run.returncode != 0:
            self.counts["in vain"] += 1
        elif json.loads(run.stdout)["changed"]:
            self.counts[action] += 1
