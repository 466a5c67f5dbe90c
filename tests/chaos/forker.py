# SPDX-License-Identifier: Apache-2.0
"""A person who forks jobs by command, of any state, and tries each again until it is there, or is told that its history is
still being made. A fork asks one question more than its origin, or another in the place of the last one."""

import collections

from person import Person
from rig.database import DatabaseError
from rig.waiting import wait_until
from tenants import TENANTS

_EVERY = (0.2, 0.6)  # seconds
_IN_VAIN = (69, 75)  # nobody there, too slow: it may be done all the same
_FINISH_SECONDS = 60
_LAST = 6  # forks when all faults are healed: many jobs have rounds to keep then
_TOO_EARLY = "in its conversation has not ended"  # what is before a job that has not begun
_ORIGINS = """
SELECT j.tenant, j.job_id,
  (SELECT count(*) FROM rounds r WHERE r.job = j.id AND r.status = 'completed') AS answered,
  EXISTS (SELECT FROM jobs f WHERE f.conversation = j.conversation AND f.id < j.id) AS follows,
  EXISTS (SELECT FROM jobs f WHERE f.conversation = j.conversation AND f.id < j.id AND f.state <> 'finished') AS waits
FROM jobs j WHERE j.parent IS NULL AND j.job_id LIKE 'job-%'"""


class Forker(Person):
    """The forks that are there are jobs of the load: `forked_from` is the origin's id, `rounds_kept` what was not to run
    again."""

    def __init__(self, installation, load, seed):
        super().__init__(installation, seed, "forks", _EVERY)
        self._load = load
        self._begun = 0
        self._next = None
        self._in_doubt = False  # an earlier try of it had no answer

    def finish(self):
        """The one that was begun is done, and some more."""
        super().finish()
        wanted = self.counts["done"] + _LAST

        def enough():
            self.act()
            return self._next is None and self.counts["done"] >= wanted
        wait_until(enough, _FINISH_SECONDS, lambda: f"{self._next} is forked; {self._installation.explain()}")

    def act(self):
        if self._next is None:
            self._choose()
        if self._next:
            self._try()

    def _choose(self):
        try:
            rows = self._installation.database.rows(_ORIGINS)
        except DatabaseError:
            return
        sent = {(job["tenant"], job["job_id"]): job for job in list(self._load.jobs)}
        kinds = collections.defaultdict(list)  # each as often
        for row in rows:
            origin = sent.get((row["tenant"], row["job_id"]))
            for fork in self._forks_of(origin, row["answered"]) if origin else ():
                if fork["rounds_kept"] or row["follows"]:  # there is a history
                    kinds[fork["rounds_kept"] > 0, row["follows"], row["waits"]].append(fork)
        if kinds:
            self._next = self._random.choice(self._random.choice(list(kinds.values())))
            self._begun += 1
            self._in_doubt = False

    def _forks_of(self, origin, answered):
        """From its last round on, and from the one after."""
        tenant, messages = origin["tenant"], origin["messages"]
        job_id = f"fork-{self._begun}"
        kind = messages[0].partition(" ")[0]
        return [{"tenant": tenant, "job_id": job_id, "conversation_id": f"job:{job_id}",
                 "messages": [*messages[:kept], f"{kind} {TENANTS[tenant]}-{job_id}-{kept}"],
                 "forked_from": origin["job_id"], "rounds_kept": kept}
                for kept in (len(messages) - 1, len(messages)) if kept <= answered]

    def _try(self):
        """Whether it came to an end."""
        fork = self._next
        run = self._installation.call(
            "job", "fork", fork["forked_from"], "--tenant", fork["tenant"], "--round", str(fork["rounds_kept"]), "--message",
            fork["messages"][-1], "--as", fork["job_id"], "--by", "chaos", "--json")
        if run.returncode in _IN_VAIN:
            self._in_doubt = True
            self.counts["in vain"] += 1
            return False
        known = run.returncode == 1 and f"there is a job {fork['tenant']}/{fork['job_id']} already" in run.stderr
        if run.returncode == 0 or known and self._in_doubt:
            self.counts["done"] += 1
            self._load.jobs.append(fork)
        elif run.returncode == 1 and _TOO_EARLY in run.stderr and not fork["rounds_kept"]:
            self.counts["too early"] += 1
        else:
            self.violations.append(f"job fork of {fork} ended with {run.returncode}: {run.stdout}{run.stderr}")
        self._next = None
        return True
