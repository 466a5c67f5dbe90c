# SPDX-License-Identifier: Apache-2.0
"""A configuration that changes under a worker: SIGHUP makes it read the file again."""

import signal

from case import Case
from rig.jobs import bench_job
from rig.waiting import wait_until


def outcome(deployment, job_id):
    query = f"SELECT outcome FROM jobs WHERE job_id = '{job_id}' AND state = 'finished'"
    wait_until(lambda: deployment.database.try_value(query), 30, f"the end of {job_id}")
    return deployment.database.value(query)


def hang_up(worker, wait_for):
    said = worker.tail(10_000).count(wait_for)
    worker.signal(signal.SIGHUP)
    wait_until(lambda: worker.tail(10_000).count(wait_for) > said, 10, worker.tail)


def agents_that_changed_hold_for_new_jobs(lab):
    with lab.deployment(steps=1) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        deployment.submit([bench_job("before") | {"agent": "late"}])
        assert outcome(deployment, "before") != "completed"

        deployment.change_settings({"agents": {"late": {"tools": ["query_database"]}}, "worker": {"claim_interval_ms": 150}})
        hang_up(worker, "the configuration was read again")
        deployment.submit([bench_job("after") | {"agent": "late"}])
        assert outcome(deployment, "after") == "completed", worker.tail()
        log = worker.tail(10_000)
        assert "take effect at the next start" in log and "worker.claim_interval_ms" in log, log


def wrong_configuration_changes_nothing(lab):
    with lab.deployment({"agents": {"early": {}}}, steps=1) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        deployment.change_settings({"agents": {"early": {"model": "no-such-model"}}})
        hang_up(worker, "stays as it was")
        assert "no-such-model" in worker.tail(10_000), worker.tail()
        deployment.submit([bench_job("job-1") | {"agent": "early"}])
        assert outcome(deployment, "job-1") == "completed", worker.tail()


CASES = [
    Case("agents that changed hold for new jobs after SIGHUP", agents_that_changed_hold_for_new_jobs),
    Case("a configuration that is wrong changes nothing on SIGHUP", wrong_configuration_changes_nothing),
]
