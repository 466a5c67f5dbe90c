# SPDX-License-Identifier: Apache-2.0
"""Keeps an installation in work: always some jobs whose results are not there yet."""

import collections
import queue
import random
import threading

from rig.jobs import as_json, as_protobuf
from rig.topics import Reader
from rig.waiting import wait_until
from tenants import TENANTS
from words import DEADLY, make_job

_LANES = ("high", "normal", "normal", "batch")


class Load:
    """`kind` is how its questions begin: "effects" or "plain" (see script.yaml). Fed by a thread of its
    own from start() to finish(), since a producer waits while its broker is down."""

    def __init__(self, installation, seed, kind="effects", outstanding=60):
        self.jobs = []
        self._made = collections.Counter()  # jobs, by tenant
        self._handed_over = queue.SimpleQueue()
        self.kind = kind
        self._outstanding = outstanding
        self._random = random.Random(f"{seed}/jobs")
        self._installation = installation
        self._reader = Reader(installation.stack.brokers, [installation.topics["results"]])
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._feed, name="load")
        self._problem = None

    def start(self):
        self._thread.start()

    def submit_deadly(self, count):
        jobs = [make_job(tenant, 0, DEADLY, 1) for tenant in list(TENANTS)[:count]]
        self.jobs += jobs
        self._installation.submit(jobs)

    def hand_over(self, job):
        """One that somebody else has made, to be sent soon. Any thread, until finish()."""
        self._handed_over.put(job)

    def close(self):
        self._over.set()
        if self._thread.ident:
            self._thread.join()
        self._reader.close()

    def _feed(self):
        try:
            while not self._over.wait(0.05):
                self._send_handed_over()
                self.top_up()
            self._send_handed_over()
        except Exception as error:  # pylint: disable=broad-exception-caught
            self._problem = error

    def results(self):
        """How many have appeared."""
        return len(self._reader.poll(0.01))

    def new_job(self):
        """Every tenant has the same ids for its jobs and conversations."""
        tenant = self._random.choice(list(TENANTS))
        number = self._made[tenant]
        self._made[tenant] += 1
        job = make_job(tenant, number, self.kind, self._random.randint(1, 3))
        job["lane"] = self._random.choice(_LANES)
        if self._random.random() < 0.3:
            job["conversation_id"] = f"talk-{self._random.randrange(1 + number // 3)}"
        self.jobs.append(job)
        return job

    def _send_handed_over(self):
        while not self._handed_over.empty():
            job = self._handed_over.get()
            self.jobs.append(job)
            self._installation.submit([job], self._random.choice((as_json, as_protobuf)))

    def top_up(self):
        """New jobs, in both encodings, until enough are outstanding."""
        missing = self._outstanding - (len(self.jobs) - self.results())
        if missing < self._outstanding // 4:
            return
        for encode, count in ((as_json, missing - missing // 2), (as_protobuf, missing // 2)):
            self._installation.submit([self.new_job() for _ in range(count)], encode)

    def finish(self, seconds):
        """No new jobs; until each has its result."""
        self._over.set()
        self._thread.join(360)
        if self._problem or self._thread.is_alive():
            raise AssertionError("jobs could not be sent") from self._problem
        wait_until(lambda: self.results() >= len(self.jobs), seconds,
                   lambda: f"{len(self.jobs)} results, there are {self.results()};"
                           f" {self._installation.explain()}")
