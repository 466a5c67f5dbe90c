# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL or Kafka goes down under a worker, or isn't there yet when it starts: it stays alive, says at
/readyz what is missing, takes nothing in meanwhile, and goes on by itself."""

import contextlib
import functools
import json
import os
import signal

from case import Case
from rig import endpoints
from rig.deployment import LEASE_SECONDS
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.postgres_server import PostgresServer
from rig.waiting import wait_until

JOBS = 6  # before, while and after
SETTINGS = {"http": {"enabled": True, "port": 0}, "limits": {"running_jobs_max": 4},
            "kafka": {"intake": {"outstanding_records_max": JOBS}}}
TITLES = {"postgres": "PostgreSQL", "kafka": "Kafka"}
LONG_LEASE_MS = 120_000  # which no outage here outlasts
# What /readyz says of a part that went away.
FAILED, LEFT, NO_BROKER = "the last intake or claim failed", "not entered in the ledger", "no broker answers"


@contextlib.contextmanager
def without(stack, part):
    """It is stopped as by a power cut, and comes back on its port."""
    if part == "postgres":
        server = PostgresServer(stack)
        server.stop_at_once()
        bring_back = server.start
    else:
        os.kill(stack.pid("kafka"), signal.SIGKILL)
        bring_back = functools.partial(stack.restart, "kafka", kill=True)
    try:
        yield
    finally:
        bring_back()


def readiness(worker):
    """Status of /readyz, and why each part is not ready."""
    status, body = endpoints.read(worker, "/readyz")
    parts = json.loads(body)["dependencies"]
    return status, {name: part["reason"] for name, part in parts.items() if not part["ready"]}


def wait_until_ready(worker):
    wait_until(lambda: readiness(worker) == (200, {}), 60, lambda: f"{readiness(worker)}; {worker.tail()}")


def wait_until_missed(worker, part, reason):
    """Alive all the same."""
    def missed():
        status, reasons = readiness(worker)
        return status == 503 and reasons.get(part) == reason
    wait_until(missed, 60, lambda: f"{part}: {reason}, but {readiness(worker)}; {worker.tail()}")
    assert endpoints.read(worker, "/healthz")[0] == 200


def paused(worker):
    lines = endpoints.read(worker, "/metrics")[1].splitlines()
    return any(line.startswith("ba_kafka_paused{") and line.endswith(" 1") for line in lines)


def jobs_of(when):
    return [bench_job(f"{when}-{i}", messages=2) for i in range(JOBS)]


def expect_results(deployment, worker, jobs):
    deployment.wait_for_results(len(jobs), 120)
    Exactness(deployment, jobs).expect_good()
    assert worker.exit_code is None, f"{worker.name} ended by itself: {worker.tail()}"


@contextlib.contextmanager
def busy_worker(lab, jobs, lease_ms):
    """With some of the jobs done, but not all."""
    with lab.deployment(SETTINGS | {"worker": {"lease_ms": lease_ms}}, delay_ms=200, steps=2) as deployment:
        worker = deployment.start_worker()
        wait_until_ready(worker)
        deployment.submit(jobs)
        wait_until(lambda: deployment.finished() >= 1, 60, deployment.explain)
        yield deployment, worker


def go_on(deployment, worker, jobs):
    wait_until_ready(worker)
    later = jobs_of("after")
    deployment.submit(later)
    expect_results(deployment, worker, jobs + later)
    assert not paused(worker), "intake is paused still"


def postgres_goes_down(lab):
    """While its lease holds, the worker keeps its place in the group, and stops reading at its limit of records
    that are not in the ledger yet."""
    jobs, meanwhile = jobs_of("before"), jobs_of("while")
    with busy_worker(lab, jobs, LONG_LEASE_MS) as (deployment, worker):
        with without(lab.stack, "postgres"):
            wait_until_missed(worker, "postgres", FAILED)
            assert not paused(worker)
            deployment.submit(meanwhile)
            wait_until(lambda: paused(worker), 30, lambda: f"intake pauses: {worker.tail()}")
        go_on(deployment, worker, jobs + meanwhile)


def postgres_goes_down_for_long(lab):
    """Beyond the lease, so that the worker has to enter again."""
    jobs, meanwhile = jobs_of("before"), jobs_of("while")
    with busy_worker(lab, jobs, LEASE_SECONDS * 1000) as (deployment, worker):
        with without(lab.stack, "postgres"):
            wait_until_missed(worker, "postgres", LEFT)
            deployment.submit(meanwhile)
        go_on(deployment, worker, jobs + meanwhile)


def kafka_goes_down(lab):
    """What the worker has goes on."""
    jobs = jobs_of("before")
    with busy_worker(lab, jobs, LONG_LEASE_MS) as (deployment, worker):
        with without(lab.stack, "kafka"):
            wait_until_missed(worker, "kafka", NO_BROKER)
            wait_until(lambda: deployment.finished() == JOBS, 60, deployment.explain)
            assert readiness(worker)[0] == 503, readiness(worker)
        go_on(deployment, worker, jobs)


def is_down_at_the_start(part, lab):
    with lab.deployment(SETTINGS) as deployment:
        with without(lab.stack, part):
            worker = deployment.start_worker()
            wait_until(lambda: "waiting for a dependency" in worker.tail(1000), 30, worker.tail)
            status, reasons = readiness(worker)
            assert (status, reasons[part]) == (503, f"waiting for {TITLES[part]}"), reasons
            assert endpoints.read(worker, "/healthz")[0] == 200
        wait_until_ready(worker)
        jobs = jobs_of("after")
        deployment.submit(jobs)
        expect_results(deployment, worker, jobs)


CASES = [
    Case("PostgreSQL goes down under a worker", postgres_goes_down, alone=True),
    Case("PostgreSQL goes down under a worker for longer than its lease", postgres_goes_down_for_long, alone=True),
    Case("Kafka goes down under a worker", kafka_goes_down, alone=True),
    *(Case(f"a worker waits for {title} at its start", functools.partial(is_down_at_the_start, part), alone=True)
      for part, title in TITLES.items()),
]
