# SPDX-License-Identifier: Apache-2.0
"""A failover of the database while two workers live within their leases: to a state that lacks the
last seconds, and to one that lacks nothing."""

import os

from case import Case
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.postgres_server import PostgresServer
from rig.waiting import wait_until

JOBS = 8
# Longer than a failover takes, so that no lease runs out by it.
SETTINGS = {"outbox": {"shards": 2}, "worker": {"lease_ms": 40000, "renew_interval_ms": 1000}}
# Nothing that is taken in is published before the failover: the workers wait for the model.
SLOW = {"delay_ms": 6000, "steps": 1}


def start_two(deployment):
    workers = [deployment.start_worker(), deployment.start_worker()]
    for worker in workers:
        deployment.wait_for_worker(worker)
    return workers


def take_in(deployment, jobs, known):
    deployment.submit(jobs)
    wait_until(lambda: deployment.database.try_value("SELECT count(*) AS n FROM jobs") == known,
               60, deployment.explain)


def log_of(worker):
    with open(worker.log, encoding="utf-8") as file:
        return file.read()


def expect_same_processes(workers):
    for worker in workers:
        assert worker.exit_code is None, f"{worker.name} ended: {worker.tail()}"


def what_was_taken_in_is_lost(lab):
    """Every job has one result all the same: the records are read again, by the same processes, whose
    lives under the lost history end with the reason."""
    early = [bench_job(f"early-{i}") for i in range(JOBS)]
    late = [bench_job(f"late-{i}") for i in range(JOBS)]
    with lab.deployment(SETTINGS, **SLOW) as deployment:
        workers = start_two(deployment)
        deployment.submit(early)
        deployment.wait_for_results(JOBS, 120)
        wait_until(lambda: deployment.database.try_value(
            "SELECT count(*) AS n FROM outbox WHERE published_at IS NULL") == 0, 30, deployment.explain)
        server, backup = PostgresServer(lab.stack), os.path.join(lab.folder, "backup")
        server.back_up(backup)
        take_in(deployment, late, 2 * JOBS)
        assert deployment.finished() == JOBS, "too late: a result may be out already"
        server.set_back(backup)

        deployment.wait_for_results(2 * JOBS, 180)
        expect_same_processes(workers)
        for worker in workers:
            assert "went back in time" in log_of(worker), worker.tail()
            assert "this life is over" in log_of(worker), worker.tail()
        exact = Exactness(deployment, early + late)
        # What was asked in the lost time was paid, and no ledger knows of it.
        exact.violations = [text for text in exact.violations if "calls paid" not in text]
        exact.expect_good()


def nothing_is_lost(lab):
    """Both lives go on, and no call is paid twice but those that the ledger counts."""
    jobs = [bench_job(f"job-{i}") for i in range(JOBS)]
    with lab.deployment(SETTINGS, **SLOW) as deployment:
        server = PostgresServer(lab.stack)
        standby = server.start_standby(os.path.join(server.place, "standby"), f"{lab.folder}/standby.log")
        try:
            workers = start_two(deployment)
            take_in(deployment, jobs, JOBS)
            server.replace_by(standby)
        finally:
            standby.stop()
        deployment.wait_for_results(JOBS, 120)
        expect_same_processes(workers)
        for worker in workers:
            assert "this life is over" not in log_of(worker), worker.tail()
        lives = deployment.database.value("SELECT count(*) AS n FROM incarnations")
        assert lives == len(workers), f"{lives} lives"
        exact = Exactness(deployment, jobs)
        exact.expect_good()
        assert exact.wasted == 0, f"{exact.wasted} calls wasted"


CASES = [
    Case("a failover loses what two living workers took in", what_was_taken_in_is_lost, alone=True),
    Case("a failover loses nothing and ends no life", nothing_is_lost, alone=True),
]
