# SPDX-License-Identifier: Apache-2.0
"""Keeps a worker busy: always more jobs on the topic than it can run."""

import time

from rig.jobs import bench_job
from rig.topics import Reader

_JOBS_AHEAD = 1000


class Load:
    def __init__(self, deployment, job_rounds, concurrency, ahead=None):
        self.jobs = []
        self.results = 0
        self._deployment = deployment
        self._job_rounds = job_rounds
        self._ahead = ahead or max(_JOBS_AHEAD, 2 * concurrency)  # jobs without a result
        self._reader = Reader(deployment.stack.brokers, [deployment.topics["results"]])

    def close(self):
        self._reader.close()

    def _poll(self):
        self.results = len(self._reader.poll(0.1))

    def _feed(self):
        missing = self._ahead - (len(self.jobs) - self.results)
        if missing < self._ahead // 10:
            return
        new = [bench_job(f"job-{len(self.jobs) + i}", messages=self._job_rounds) for i in range(missing)]
        self._deployment.submit(new)
        self.jobs += new

    def run_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._feed()
            self._poll()

    def run_until_results(self, count, seconds):
        """With new jobs all the while."""
        self._wait(count, seconds, feed=True)

    def finish(self, seconds):
        """No new jobs; until each has its result."""
        self._wait(len(self.jobs), seconds, feed=False)

    def _wait(self, count, seconds, feed):
        deadline = time.monotonic() + seconds
        while self.results < count:
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.results} results of {count} after {seconds} s;"
                                     f" {self._deployment.explain()}")
            if feed:
                self._feed()
            self._poll()
