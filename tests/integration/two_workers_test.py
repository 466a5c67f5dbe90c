# SPDX-License-Identifier: Apache-2.0
"""Two workers share 200 jobs; in the middle one is lost."""

import signal
import time

from case import LARGE, Case
from rig.deployment import LEASE_SECONDS
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.waiting import patient, wait_until

JOBS = 400 if LARGE else 200
# So that a kill lands in the middle: some of the jobs have ended, most have not.
SLOW = {"delay_ms": 60, "steps": 2}
FEW_AT_ONCE = {"limits": {"running_jobs_max": 8}}


def start(deployment, jobs):
    """Two workers, a third of the work done; one stands still, with jobs of its own. That one."""
    victim, survivor = deployment.start_worker(), deployment.start_worker()
    deployment.wait_for_worker(victim)
    deployment.wait_for_worker(survivor)
    deployment.submit(jobs)
    wait_until(lambda: deployment.finished() >= JOBS // 3, 60, deployment.explain)

    def stands_with_jobs():
        victim.signal(signal.SIGSTOP)
        if owned_by(deployment, victim):
            return True
        victim.signal(signal.SIGCONT)
        return False
    wait_until(stands_with_jobs, 60, deployment.explain)
    return victim


def owned_by(deployment, worker):
    """Ids of the jobs that a worker runs."""
    return {row["job_id"] for row in deployment.database.rows(
        "SELECT j.job_id FROM jobs j JOIN incarnations i ON i.id = j.incarnation"
        f" WHERE j.state = 'running' AND i.pid = {worker.pid}")}


def one_of_two_is_killed(lab):
    """A result each, none doubled; the dead worker's jobs run again soon after the lease: 2 s on an idle machine."""
    jobs = [bench_job(f"job-{i}", messages=2) for i in range(JOBS)]
    with lab.deployment(FEW_AT_ONCE, **SLOW) as deployment:
        victim = start(deployment, jobs)
        victim.kill()
        killed = time.monotonic()
        orphans = owned_by(deployment, victim)
        assert orphans, "the killed worker had no job: nothing was tried"
        wait_until(lambda: not owned_by(deployment, victim), LEASE_SECONDS + 10, deployment.explain)
        freed = time.monotonic() - killed
        listed = ",".join(f"'{job}'" for job in orphans)
        again = f"SELECT count(*) AS n FROM jobs WHERE job_id IN ({listed}) AND state = 'ready'"
        wait_until(lambda: deployment.database.value(again) == 0, 60, deployment.explain)
        recovered = time.monotonic() - killed
        deployment.wait_for_results(JOBS, 120)
        exact = Exactness(deployment, jobs)
        exact.expect_good()
        assert recovered <= LEASE_SECONDS + patient(10), f"all its jobs ran again after {recovered:.1f} s"
        return (f"{len(orphans)} jobs orphaned, free after {freed:.1f} s, all run again after"
                f" {recovered:.1f} s (lease {LEASE_SECONDS} s), {exact.wasted} calls wasted")


def one_of_two_is_paused(lab):
    """A worker that comes back from the dead after its lease changes nothing."""
    jobs = [bench_job(f"job-{i}", messages=2) for i in range(JOBS)]
    with lab.deployment(FEW_AT_ONCE, **SLOW) as deployment:
        victim = start(deployment, jobs)
        wait_until(lambda: not owned_by(deployment, victim), LEASE_SECONDS + 10, deployment.explain)
        victim.signal(signal.SIGCONT)
        deployment.wait_for_results(JOBS, 120)
        Exactness(deployment, jobs).expect_good()


CASES = [
    Case("one of two workers is killed", one_of_two_is_killed),
    Case("one of two workers is paused beyond its lease", one_of_two_is_paused),
]
