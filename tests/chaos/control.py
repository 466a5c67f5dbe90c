# SPDX-License-Identifier: Apache-2.0
"""A person at work beside the workers: jobs are cancelled, paused and resumed by command, through the same broken
network."""

import collections
import json
import random
import threading

from rig.database import DatabaseError
from rig.waiting import wait_until

_EVERY = (0.05, 0.4)  # seconds
_ACTIONS = ("cancel", "pause", "pause", "resume", "resume")
_EXIT_CODES = (0, 1, 69, 75)  # done, refused, nobody there, too slow
_RESUME_SECONDS = 30
# Jobs with a conversation of their own: of nobody else's answers one changes.
_UNDER_WAY = """
SELECT j.tenant, j.job_id FROM jobs j JOIN conversations c ON c.id = j.conversation
WHERE c.conversation_id NOT LIKE 'talk%' AND j.job_id LIKE 'job-%' AND j.parent IS NULL
  AND j.state IN ('ready', 'running')"""
_PAUSED = "SELECT tenant, job_id FROM jobs WHERE state = 'paused' OR request = 'pause' AND state <> 'finished'"


class Control:
    """At work from start() to finish(). `cancelled` are the jobs that were to be cancelled, `counts` the commands
    that changed something, and those in vain: of a job that had ended meanwhile, or a server that was down."""

    def __init__(self, installation, seed):
        self.cancelled = set()
        self.counts = collections.Counter()
        self.violations = []
        self._installation = installation
        self._random = random.Random(f"{seed}/control")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="control")
        self._problem = None

    def start(self):
        self._thread.start()

    def close(self):
        self._over.set()
        if self._thread.ident:
            self._thread.join()

    def finish(self):
        """Whatever is paused goes on."""
        self.close()
        if self._problem:
            raise AssertionError(f"a command could not be given: {self._problem}") from self._problem
        wait_until(self._resume_all, _RESUME_SECONDS, lambda: f"all jobs go on; {self._installation.explain()}")

    def _work(self):
        try:
            while not self._over.wait(self._random.uniform(*_EVERY)):
                action = self._random.choice(_ACTIONS)
                jobs = self._jobs(_PAUSED if action == "resume" else _UNDER_WAY)
                if jobs:
                    self._ask(action, self._random.choice(jobs))
        except Exception as error:  # pylint: disable=broad-exception-caught
            self._problem = error

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
