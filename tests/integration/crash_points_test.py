# SPDX-License-Identifier: Apache-2.0
"""kill -9 at each named point of a job's life. Two jobs of one conversation, so that only one runs at
a time and each point comes a second time; another worker takes over when the lease has run out."""

import functools

from case import LARGE, Case
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.waiting import wait_until

# Point, how many calls are recorded as wasted after a crash there, and whether exactly what was paid
# for is recorded. Where no request had left yet, one is recorded all the same: nobody can know.
POINTS = (
    ("intake_committed", 1, False),
    ("job_claimed", 1, False),
    ("model_in_flight", 1, True),
    ("reply_received", 1, True),
    ("reply_committed", 0, True),
    ("tool_finished", 0, True),
    ("job_finished", 0, True),
    ("batch_published", 0, True),
)
ONCE_A_JOB = {"intake_committed", "job_claimed", "job_finished", "batch_published"}
JOBS = 2
# The crash in flight comes 0.1 s after the request was handed over: the answer must come later.
MODEL_MS = 300
SIGKILLED = -9


def die(deployment, point, nth, jobs):
    """A worker that kills itself there. With the second job beforehand where it takes two."""
    worker = deployment.start_worker(crash_at=f"{point}:{nth}")
    deployment.submit(jobs[:1])
    if nth > 1:
        taken_in = "SELECT count(*) AS n FROM jobs"
        wait_until(lambda: deployment.database.try_value(taken_in), 60, worker.tail)
        deployment.submit(jobs[1:])
    code = worker.wait(60)
    assert code == SIGKILLED, f"exit code {code}, not killed at {point}: {worker.tail()}"
    if nth == 1:
        deployment.submit(jobs[1:])


def crash_at(point, nth, wasted, all_paid, lab):
    """One worker dies there, another goes on."""
    jobs = [bench_job(f"job-{i}", messages=2, conversation_id="talk") for i in range(JOBS)]
    with lab.deployment(steps=2, delay_ms=MODEL_MS if point == "model_in_flight" else 0) as deployment:
        die(deployment, point, nth, jobs)
        deployment.start_worker()
        deployment.wait_for_results(JOBS, 60)
        exact = Exactness(deployment, jobs)
        exact.expect_good()
        paid = sum(deployment.model.paid_calls().values())
        recorded = sum(row["steps"] for row in exact.rows.values()) + exact.wasted
        if point == "intake_committed" and nth > 1:
            assert exact.wasted <= 1, f"{exact.wasted} calls wasted"  # the first job runs or has ended
        else:
            assert exact.wasted == wasted, f"{exact.wasted} calls recorded as wasted, {wasted} expected"
        assert paid == recorded or not all_paid, f"{paid} calls paid, {recorded} persisted or wasted"


CASES = [
    Case(f"kill -9 at {point}, time {nth}", functools.partial(crash_at, point, nth, wasted, all_paid))
    for nth in ((1, 2, 3, 4) if LARGE else (1, 2))
    for point, wasted, all_paid in POINTS
    if nth <= JOBS or point not in ONCE_A_JOB
]
