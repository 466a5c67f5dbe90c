# SPDX-License-Identifier: Apache-2.0
"""Durable rounds under steady load: one installation, from its start to its last result, with a measured window.
Exactness is checked before there are figures."""

import contextlib
import dataclasses
import os
import shutil
import time

from benchmarks.load import Load
from rig.accounting import cpu_seconds, machine_cpu_seconds, memory_mib, own_cpu_seconds
from rig.delayed_wire import DelayedWire
from rig.deployment import Deployment
from rig.exactness import Exactness

SCRIPT, WIRE = "measuring script", "delayed wire"  # which are no part of a total
WORKER, POSTGRES, KAFKA, MODEL = "worker", "postgres", "kafka", "scripted model"
PARTS = (WORKER, POSTGRES, KAFKA, MODEL)
STEPS_A_ROUND = 3  # durable ones: the reply that calls, the call's result, the answer
_DRAIN_SECONDS = 300
_FEW_AHEAD = 1.5  # of the jobs that run at once
_STORED = "SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c" \
          " WHERE c.relnamespace = 'ba'::regnamespace AND c.relkind = 'r'"


@dataclasses.dataclass
class Shape:
    """What runs, and for how long."""

    seconds: float = 20
    concurrency: int = 256  # jobs at once, of all workers together
    job_rounds: int = 10
    progress: bool = True
    workers: int = 1
    warm_up_seconds: float = 10  # the broker interprets its code before it compiles it
    build_dir: str | None = None  # of the workers; None: the rig's own
    few_ahead: bool = False  # jobs that wait: enough to keep the workers busy, so that runs in turns end soon
    delay_us: int = 0  # of each direction to PostgreSQL and the model
    queries: int = 8  # at once, of a worker

    def settings(self):
        return {
            "worker": {"lease_ms": 10000, "renew_interval_ms": 2500, "reap_interval_ms": 2000,
                       "claim_interval_ms": 500},
            "limits": {"running_jobs_max": self.concurrency // self.workers,
                       "window_jobs_max": max(1000, 2 * self.concurrency)},
            # One worker: more shards are more Kafka transactions for the same results.
            "outbox": {"shards": 2},
            "observability": {"log_level": "warning"},
            "tools": {"cache": {"enabled": False}},  # each call is a query
            "kafka": {"topic_settings": {"job_partitions": 12, "result_partitions": 4},
                      "progress": "on" if self.progress else "off"},
        }


class Snapshot:
    """Clocks and counters at one moment. Workers and model are children of this script. `parts`: process ids by what
    they are."""

    def __init__(self, deployment, parts):
        row = deployment.database.row("SELECT clock_timestamp() AS at, pg_current_wal_lsn() - '0/0' AS wal")
        self.at, self.wal = row["at"], row["wal"]
        self.monotonic = time.monotonic()
        self.cpu = {name: sum(cpu_seconds(pid) for pid in pids) for name, pids in parts.items()}
        self.cpu[SCRIPT] = own_cpu_seconds(os.getpid())
        self.machine = machine_cpu_seconds()

    def busy_since(self, first):
        """Seconds of CPU by part."""
        return {name: self.cpu[name] - first.cpu[name] for name in first.cpu}

    def others_since(self, first):
        """Cores that anything else of this machine used meanwhile."""
        used = self.machine - first.machine - sum(self.busy_since(first).values())
        return max(0.0, used / (self.monotonic - first.monotonic))


def expect_durable(database):
    durable = database.row("SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync")
    if durable != {"commit": "on", "fsync": "on"}:
        raise AssertionError(f"PostgreSQL is not durable: {durable}")


@contextlib.contextmanager
def distance(deployment, shape):
    """What keeps PostgreSQL and the model at the shape's distance; None: they are near."""
    settings = deployment.settings()
    (source,) = settings["tools"]["data_sources"]
    source["pool_size"] = shape.queries
    deployment.change_settings({"tools": {"data_sources": [source]}})
    if not shape.delay_us:
        yield None
        return
    urls = (settings["postgres"]["url"], source["url"], deployment.model.url)
    with DelayedWire(deployment.folder, shape.delay_us, urls) as wire:
        source["url"] = wire.url(source["url"])
        deployment.change_settings({
            "postgres": {"url": wire.url(settings["postgres"]["url"])}, "tools": {"data_sources": [source]},
            "llm": {"providers": {"scripted": {"base_url": wire.url(deployment.model.url)}}}})
        yield wire


def parts_of(deployment, wire=None):
    """Of all workers that run now."""
    pids = deployment.stack.pids()
    parts = {WORKER: [worker.pid for worker in deployment.workers], POSTGRES: [pids["postgres"]],
             KAFKA: [pids["kafka"]], MODEL: [deployment.model.process.pid]}
    return {**parts, WIRE: [wire.process.pid]} if wire else parts


def measure(deployment, load, parts, seconds):
    """One window of steady work. The figures, and the times that it lay between."""
    first = Snapshot(deployment, parts)
    load.run_for(seconds)
    last = Snapshot(deployment, parts)
    between = f"closed_at >= '{first.at}' AND closed_at < '{last.at}'"
    rounds = deployment.database.value(f"SELECT count(*) AS n FROM rounds WHERE {between}")
    if rounds == 0:
        raise AssertionError(f"no round in {seconds} s; {deployment.explain()}")
    latency = deployment.database.row(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50,"
        " percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99"
        f" FROM (SELECT extract(epoch FROM closed_at - opened_at) * 1000 AS ms FROM rounds WHERE {between}) r")
    elapsed = last.monotonic - first.monotonic
    busy = last.busy_since(first)
    cpu = {name: used / rounds * 1e6 for name, used in busy.items()}
    return {
        "rounds": rounds, "seconds": elapsed, "rounds_per_s": rounds / elapsed,
        "cpu_us_per_round": {**cpu, "total": sum(cpu[name] for name in PARTS)},
        "cores_busy": sum(busy.values()) / elapsed, "cores_busy_of_others": last.others_since(first),
        "wal_bytes_per_round": (last.wal - first.wal) / rounds,
        "round_ms": latency, "worker_memory_mib": sum(memory_mib(pid) for pid in parts[WORKER]),
    }


def exact_figures(deployment, load, rounds):
    """How much was checked; raises if anything is lost, doubled or wrong."""
    exact = Exactness(deployment, load.jobs)
    exact.expect_good()
    return {"jobs": len(load.jobs), "results": len(exact.results), "rounds": rounds, "wasted_model_calls": exact.wasted}


def run(stack, shape, folder, after=lambda deployment: {}):
    """The figures of one installation in a fresh `folder`, with those of `after`, which is called when all is done."""
    shutil.rmtree(folder, ignore_errors=True)
    with Deployment(stack, folder, shape.settings(), {"steps": 1}, build_dir=shape.build_dir) as deployment, \
            distance(deployment, shape) as wire:
        expect_durable(deployment.database)
        for worker in [deployment.start_worker() for _ in range(shape.workers)]:
            deployment.wait_for_worker(worker)
        ahead = round(_FEW_AHEAD * shape.concurrency) if shape.few_ahead else None
        load = Load(deployment, shape.job_rounds, shape.concurrency, ahead)
        try:
            load.run_until_results(1, 60)
            load.run_for(shape.warm_up_seconds)
            figures = measure(deployment, load, parts_of(deployment, wire), shape.seconds)
            load.finish(_DRAIN_SECONDS)
        finally:
            load.close()
        total = len(load.jobs) * shape.job_rounds
        figures["exact"] = exact_figures(deployment, load, total)
        figures["stored_bytes_per_round"] = float(deployment.database.value(_STORED)) / total
        return {**figures, **after(deployment)}
