# SPDX-License-Identifier: Apache-2.0
"""SIGTERM: stop intake, finish the steps that run, hand the rest back, publish, exit 0. Before the
worker runs: exit 0 at once."""

import contextlib
import functools
import json
import select
import signal
import socket

from case import Case
from rig import endpoints
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.waiting import wait_until

JOBS = 40
BUSY = {"limits": {"running_jobs_max": 16}}
WAITS = ((("BA_POSTGRES_URL", "postgresql://u@{}/d"), "PostgreSQL", signal.SIGTERM),
         (("BA_KAFKA_BROKERS", "{}"), "Kafka", signal.SIGTERM),
         (("BA_KAFKA_BROKERS", "{}"), "Kafka", signal.SIGINT))


def start_busy(deployment, jobs):
    """A worker in the middle of its jobs."""
    worker = deployment.start_worker()
    deployment.wait_for_worker(worker)
    deployment.submit(jobs)
    wait_until(lambda: deployment.finished() >= JOBS // 4, 60, deployment.explain)
    return worker


def finish_with_another(deployment, jobs):
    deployment.start_worker()
    deployment.wait_for_results(len(jobs), 90)
    exact = Exactness(deployment, jobs)
    exact.expect_good()
    return exact


def sigterm_drains(lab):
    """No attempt is counted, nothing is lost, no call is wasted; what is handed back is run later."""
    jobs = [bench_job(f"job-{i}", messages=3) for i in range(JOBS)]
    with lab.deployment(BUSY, delay_ms=50, steps=2) as deployment:
        worker = start_busy(deployment, jobs)
        worker.terminate()
        code = worker.wait(15)
        assert code == 0, f"exit code {code}: {worker.tail()}"
        left = deployment.database.rows("SELECT state, count(*) AS n, max(attempt) AS attempt FROM jobs"
                                        " WHERE state <> 'finished' GROUP BY state")
        assert left, "all jobs had ended before the signal: nothing was tried"
        assert [(row["state"], row["attempt"]) for row in left] == [("ready", 0)], left
        states = deployment.database.rows("SELECT state FROM incarnations")
        assert states == [{"state": "left"}], states
        unpublished = deployment.database.value("SELECT count(*) AS n FROM outbox WHERE published_at IS NULL")
        assert unpublished == 0, f"{unpublished} records were left unpublished"
        exact = finish_with_another(deployment, jobs)
        attempts = {row["attempt"] for row in exact.rows.values()}
        assert (attempts, exact.wasted) == ({1}, 0), f"attempts {attempts}, {exact.wasted} calls wasted"
        return f"{left[0]['n']} of {JOBS} jobs handed back"


def drain_gives_slow_calls_up(lab):
    """What doesn't end within the grace time is handed back, and its call counted as wasted."""
    jobs = [bench_job(f"job-{i}") for i in range(4)]
    settings = {"worker": {"drain_grace_ms": 500}}
    with lab.deployment(settings, delay_ms=6000) as deployment:
        worker = deployment.start_worker()
        deployment.submit(jobs)
        wait_until(lambda: sum(deployment.model.paid_calls().values()) == len(jobs), 30, deployment.explain)
        worker.terminate()
        code = worker.wait(10)
        assert code == 0, f"exit code {code}: {worker.tail()}"
        wasted = deployment.database.value("SELECT coalesce(sum(calls), 0) AS n FROM wasted_model_calls")
        assert wasted == len(jobs), f"{wasted} calls recorded as wasted of {len(jobs)}"
        exact = finish_with_another(deployment, jobs)
        assert {row["attempt"] for row in exact.rows.values()} == {1}


def second_sigterm_ends_at_once(lab):
    """And is as safe as a crash."""
    jobs = [bench_job(f"job-{i}", messages=3) for i in range(JOBS)]
    with lab.deployment(BUSY, delay_ms=400, steps=2) as deployment:
        worker = deployment.start_worker()
        deployment.submit(jobs)
        wait_until(lambda: sum(deployment.model.paid_calls().values()) >= JOBS, 60, deployment.explain)
        worker.terminate()
        wait_until(lambda: "drain" in worker.tail(1000).lower(), 10, worker.tail)
        worker.terminate()
        code = worker.wait(2)
        assert code != 0, "it says that it drained"
        finish_with_another(deployment, jobs)


@contextlib.contextmanager
def silent_server():
    """Takes connections and never says a word: (host:port, whether one came)."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        yield f"{host}:{port}", lambda: bool(select.select([server], [], [], 0)[0])


def ends_while_it_waits(setting, dependency, number, lab):
    """The library that waits for the server is not waited for: it has longer than this test."""
    settings = {"http": {"enabled": True, "port": 0}, "postgres": {"connect_timeout_ms": 600_000}}
    with silent_server() as (address, asked), lab.deployment(settings) as deployment:
        worker = deployment.start_worker(env={setting[0]: setting[1].format(address)})
        wait_until(lambda: asked() and "serving" in worker.tail(), 20, worker.tail)
        body = json.loads(endpoints.read(worker, "/readyz")[1])
        reasons = [state.get("reason") for state in body["dependencies"].values()]
        assert f"waiting for {dependency}" in reasons, body
        worker.signal(number)
        code = worker.wait(3)
        assert code == 0, f"exit code {code}: {worker.tail()}"
        assert '"msg":"stopped before the worker ran"' in worker.tail(1), worker.tail()
        assert deployment.database.rows("SELECT 1 FROM incarnations") == []


CASES = [
    Case("SIGTERM drains", sigterm_drains),
    Case("a drain gives slow model calls up", drain_gives_slow_calls_up),
    Case("a second SIGTERM ends at once", second_sigterm_ends_at_once),
    *(Case(f"{number.name} ends a worker that waits for {dependency}",
           functools.partial(ends_while_it_waits, setting, dependency, number))
      for setting, dependency, number in WAITS),
]
