# SPDX-License-Identifier: Apache-2.0
"""The database is set back to an earlier base backup: no job is lost, publishing stops instead of
repeating anything, and `ba-agent outbox verify --adopt` takes over what was published."""

import json
import os

from case import Case
from rig.database import psql
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.postgres_server import PostgresServer
from rig.waiting import wait_until

JOBS = 12  # before the backup, and again after it
SETTINGS = {"outbox": {"shards": 2}}


def stop(worker):
    worker.terminate()
    assert worker.wait(20) == 0, worker.tail()


def run_and_stop(deployment, jobs, results):
    worker = deployment.start_worker()
    deployment.submit(jobs)
    deployment.wait_for_results(results, 90)
    wait_until(lambda: deployment.database.try_value(
        "SELECT count(*) AS n FROM outbox WHERE published_at IS NULL") == 0, 30, deployment.explain)
    stop(worker)


def expect_stopped_shards(deployment, jobs):
    """A worker on the older database: it reads the records again, runs what it doesn't know to have
    run, and publishes nothing of it."""
    worker = deployment.start_worker()
    wait_until(lambda: deployment.finished() == len(jobs), 90, deployment.explain)
    wait_until(lambda: deployment.database.value(
        "SELECT count(stopped_reason) AS n FROM outbox_shards") == 2, 60, deployment.explain)
    stop(worker)


def verify(deployment, *arguments, code):
    return json.loads(deployment.run("outbox", "verify", "--json", *arguments, code=code))


def set_back(lab):
    early = [bench_job(f"early-{i}") for i in range(JOBS)]
    late = [bench_job(f"late-{i}") for i in range(JOBS)]
    last = [bench_job(f"last-{i}") for i in range(4)]
    with lab.deployment(SETTINGS, steps=2) as deployment:
        run_and_stop(deployment, early, JOBS)
        server, backup = PostgresServer(lab.stack), os.path.join(lab.folder, "backup")
        server.back_up(backup)
        run_and_stop(deployment, late, 2 * JOBS)
        server.set_back(backup)
        wait_until(lambda: deployment.finished() == JOBS, 30, "the older database answers")

        expect_stopped_shards(deployment, early + late)
        seen = verify(deployment, code=1)
        assert sum(shard["published_not_marked"] for shard in seen["shards"]) == 2 * JOBS, seen
        assert sum(shard["published_unknown"] for shard in seen["shards"]) == 0, seen
        assert seen == verify(deployment, "--adopt", code=1), "without --yes nothing changes"
        adopted = verify(deployment, "--adopt", "--yes", code=0)["adopted"]
        assert adopted["records_marked"] == 2 * JOBS, adopted
        assert verify(deployment, code=0)["shards"] == []

        deployment.start_worker()
        deployment.submit(last)
        deployment.wait_for_results(2 * JOBS + len(last), 60)
        exact = Exactness(deployment, early + late + last)
        # What was run in the lost time was run, and paid, again: no ledger knew of it.
        exact.violations = [text for text in exact.violations if "calls paid" not in text]
        exact.expect_good()


def adopt_before_a_worker_runs(lab):
    """The jobs that the older database does not know get their terminal rows from the topic."""
    early = [bench_job(f"early-{i}") for i in range(JOBS)]
    late = [bench_job(f"late-{i}") for i in range(JOBS)]
    with lab.deployment(SETTINGS, steps=2) as deployment:
        run_and_stop(deployment, early, JOBS)
        server, backup = PostgresServer(lab.stack), os.path.join(lab.folder, "backup")
        server.back_up(backup)
        run_and_stop(deployment, late, 2 * JOBS)
        paid = sum(deployment.model.paid_calls().values())
        server.set_back(backup)
        wait_until(lambda: deployment.finished() == JOBS, 30, "the older database answers")
        psql(deployment.database.url,  # what a worker would do at once
             "UPDATE ba.outbox_shards SET incarnation = NULL, stopped_reason = 'a test', stopped_at = now()")
        adopted = verify(deployment, "--adopt", "--yes", code=0)["adopted"]
        assert (adopted["records_added"], adopted["jobs_added"]) == (2 * JOBS, JOBS), adopted
        worker = deployment.start_worker()
        wait_until(lambda: deployment.database.value(
            "SELECT sum(next_offset) AS n FROM intake_offsets") == 2 * JOBS, 60, deployment.explain)
        stop(worker)
        assert sum(deployment.model.paid_calls().values()) == paid, "a job ran again"
        found = deployment.database.value("SELECT count(*) AS n FROM jobs WHERE state = 'finished'")
        assert found == 2 * JOBS, deployment.explain()


CASES = [
    Case("the database is set back and what was published is adopted", set_back, alone=True),
    Case("what was published is adopted before a worker runs", adopt_before_a_worker_runs, alone=True),
]
