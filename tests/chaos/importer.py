# SPDX-License-Identifier: Apache-2.0
"""A person who imports conversations that were held elsewhere (held.py), killed in the middle now and then, and tries each
again until it is there; a job goes on with it then."""

import collections
import subprocess

from held import Held
from person import Person
from rig.waiting import wait_until
from tenants import TENANTS

_EVERY = (0.1, 0.6)  # seconds
_KILLED_SHARE = 0.4  # of the tries
_KILLED_AFTER = (0.0, 0.25)  # seconds: from before it has read its settings to after its end
_REPEATED_SHARE = 0.25  # of those that are done are given once more
_IN_VAIN = (69, 75)  # nobody there, too slow: it may be done all the same
_FINISH_SECONDS = 60
# What a person is told who repeats what was done.
_KNOWN = "already, with these very messages: it was imported before"


class Importer(Person):
    """Each is begun once the one before is done, and whoever is told so sends a job."""

    def __init__(self, installation, load, seed):
        super().__init__(installation, seed, "imports", _EVERY)
        self._done = []
        self._load = load
        self._numbers = collections.Counter()  # by tenant
        self._next = None
        self._in_doubt = False  # an earlier try of it had no answer

    def finish(self):
        """The one that was begun is done."""
        super().finish()
        wait_until(lambda: self._next is None or self._try(None), _FINISH_SECONDS,
                   lambda: f"{self._next.name} is imported; {self._installation.explain()}")

    def act(self):
        if self._next is None:
            self._choose()
        killed = self._random.random() < _KILLED_SHARE
        done = self._try(self._random.uniform(*_KILLED_AFTER) if killed else None)
        if done and self._done and self._random.random() < _REPEATED_SHARE:
            self._repeat(self._random.choice(self._done))

    def _choose(self):
        """Every tenant has the same ids for its conversations."""
        tenant = self._random.choice(list(TENANTS))
        self._next = Held(tenant, self._numbers[tenant])
        self._numbers[tenant] += 1
        self._in_doubt = False

    def _try(self, killed_after):
        """Whether it came to an end."""
        run = self._ask(self._next, killed_after)
        if run is None or run.returncode in _IN_VAIN:
            self._in_doubt = True
            self.counts["killed" if run is None else "in vain"] += 1
            return False
        known = run.returncode == 1 and _KNOWN in run.stderr and self._in_doubt
        if run.returncode == 0 or known:
            self.counts["done"] += 1
            self.counts["done by a try without an answer"] += known
            self._done.append(self._next)
            self._load.hand_over(self._next.job())
        else:
            self._complain(self._next, run)
        self._next = None
        return True

    def _repeat(self, held):
        run = self._ask(held)
        if run.returncode in _IN_VAIN:
            self.counts["in vain"] += 1
        elif run.returncode == 1 and _KNOWN in run.stderr:
            self.counts["repeated"] += 1
        else:
            self._complain(held, run)

    def _ask(self, held, killed_after=None):
        """None: it was killed."""
        try:
            return self._installation.call(
                "import", "--format", held.form, "--tenant", held.tenant, "--conversation", held.conversation_id, "--by",
                "chaos", "--json", given=held.file(), seconds=killed_after or 120)
        except subprocess.TimeoutExpired:
            if killed_after is None:
                raise
            return None

    def _complain(self, held, run):
        self.violations.append(f"import of {held.name} ended with {run.returncode}: {run.stdout}{run.stderr}")
