# SPDX-License-Identifier: Apache-2.0
"""A server is restarted in the middle of 100 jobs."""

import functools

from case import LARGE, Case
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.waiting import wait_until

JOBS = 400 if LARGE else 100
RESTARTS = 3 if LARGE else 1


def restart(part, kill, lab):
    jobs = [bench_job(f"job-{i}", messages=2) for i in range(JOBS)]
    with lab.deployment({"limits": {"running_jobs_max": 16}}, delay_ms=50, steps=2) as deployment:
        workers = [deployment.start_worker(), deployment.start_worker()]
        for worker in workers:
            deployment.wait_for_worker(worker)
        deployment.submit(jobs[: JOBS // 2])
        for turn in range(RESTARTS):
            reached = JOBS // 2 * (turn + 1) // (RESTARTS + 2)
            wait_until(lambda done=reached: deployment.finished() >= done, 60, deployment.explain)
            lab.stack.restart(part, kill)
        deployment.submit(jobs[JOBS // 2 :])
        deployment.wait_for_results(JOBS, 120)
        exact = Exactness(deployment, jobs)
        exact.expect_good()
        for worker in workers:
            assert worker.exit_code is None, f"{worker.name} ended by itself: {worker.tail()}"
        return f"{exact.wasted} calls wasted"


CASES = [
    Case(f"{part} is {'killed and ' if kill else ''}restarted in the middle of the jobs",
         functools.partial(restart, part, kill), alone=True)
    for part in ("postgres", "kafka")
    for kill in (False, True)
]
