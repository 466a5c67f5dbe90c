# SPDX-License-Identifier: Apache-2.0
"""Durable rounds per second and CPU time per round; see ops/bench --help."""

import argparse
import os
import shutil
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.load import Load
from benchmarks.peer import CLIENTS, single_row_commits
from rig.accounting import cpu_seconds, memory_mib, own_cpu_seconds
from rig.deployment import Deployment
from rig.exactness import Exactness
from rig.stack import Stack

_WARM_UP_SECONDS = 10  # the broker interprets its code before it compiles it
_PEER_SECONDS = 5
_DRAIN_SECONDS = 300
_SCRIPT = "measuring script"
_STORED = "SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c" \
          " WHERE c.relnamespace = 'ba'::regnamespace AND c.relkind = 'r'"


def settings(options):
    return {
        "worker": {"lease_ms": 10000, "renew_interval_ms": 2500, "reap_interval_ms": 2000,
                   "claim_interval_ms": 500},
        "limits": {"running_jobs_max": options.concurrency,
                   "window_jobs_max": max(1000, 2 * options.concurrency)},
        # One worker: more shards are more Kafka transactions for the same results.
        "outbox": {"shards": 2},
        "observability": {"log_level": "warning"},
        "tools": {"cache": {"enabled": False}},  # each call is a query
        "kafka": {"topic_settings": {"job_partitions": 12, "result_partitions": 4},
                  "progress": "on" if options.progress else "off"},
    }


class Snapshot:
    """Clocks and counters at one moment. Worker and model are children of this script."""

    def __init__(self, deployment, parts):
        row = deployment.database.row("SELECT clock_timestamp() AS at, pg_current_wal_lsn() - '0/0' AS wal")
        self.at, self.wal = row["at"], row["wal"]
        self.monotonic = time.monotonic()
        self.cpu = {name: cpu_seconds(pid) for name, pid in parts.items()}
        self.cpu[_SCRIPT] = own_cpu_seconds(os.getpid())


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
    busy = {name: last.cpu[name] - first.cpu[name] for name in first.cpu}
    cpu = {name: seconds / rounds * 1e6 for name, seconds in busy.items()}
    return {
        "rounds": rounds, "seconds": elapsed, "rounds_per_s": rounds / elapsed,
        "cpu_us_per_round": {**cpu, "total": sum(us for name, us in cpu.items() if name != _SCRIPT)},
        "cores_busy": sum(busy.values()) / elapsed,
        "wal_bytes_per_round": (last.wal - first.wal) / rounds,
        "round_ms": latency, "worker_memory_mib": memory_mib(parts["worker"]),
    }


def run(stack, options, number):
    folder = os.path.join(report.FOLDER, f"run-{number}")
    shutil.rmtree(folder, ignore_errors=True)
    with Deployment(stack, folder, settings(options), {"steps": 1}) as deployment:
        durable = deployment.database.row("SELECT current_setting('synchronous_commit') AS commit,"
                                          " current_setting('fsync') AS fsync")
        if durable != {"commit": "on", "fsync": "on"}:
            raise AssertionError(f"PostgreSQL is not durable: {durable}")
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        pids = stack.pids()
        parts = {"worker": worker.pid, "postgres": pids["postgres"], "kafka": pids["kafka"],
                 "scripted model": deployment.model.process.pid}
        load = Load(deployment, options.job_rounds, options.concurrency)
        try:
            load.run_until_results(1, 60)
            load.run_for(_WARM_UP_SECONDS)
            figures = measure(deployment, load, parts, options.seconds)
            load.finish(_DRAIN_SECONDS)
        finally:
            load.close()
        exact = Exactness(deployment, load.jobs)
        exact.expect_good()
        total = len(load.jobs) * options.job_rounds
        figures["stored_bytes_per_round"] = float(deployment.database.value(_STORED)) / total
        figures["exact"] = {"jobs": len(load.jobs), "results": len(exact.results), "rounds": total,
                            "wasted_model_calls": exact.wasted}
        figures["peer"] = single_row_commits(deployment.database.url, folder, _PEER_SECONDS, pids["postgres"])
        figures["ratio_to_peer"] = figures["rounds_per_s"] / figures["peer"]["commits_per_s"]
        return figures


def markdown(data):
    best, options = data["best"], data["options"]
    cpu, peer = best["cpu_us_per_round"], best["peer"]
    rows = [("what", "value"),
            ("durable rounds per second", f"{best['rounds_per_s']:.0f}"),
            ("model calls per second (2 a round)", f"{2 * best['rounds_per_s']:.0f}"),
            ("CPU per round, all processes", f"{cpu['total']:.0f} µs"),
            *((f"… {name}", f"{us:.0f} µs") for name, us in cpu.items() if name != "total"),
            ("cores busy", f"{best['cores_busy']:.2f} of {data['machine']['cores']}"),
            ("a round takes, median / 99 %", f"{best['round_ms']['p50']:.0f} / {best['round_ms']['p99']:.0f} ms"),
            ("WAL per round", f"{best['wal_bytes_per_round']:.0f} bytes"),
            ("stored per round", f"{best['stored_bytes_per_round']:.0f} bytes"),
            ("memory of the worker", f"{best['worker_memory_mib']:.0f} MiB")]
    ratios = [("against", "its rate", "ratio"),
              (f"pgbench, one durable row per transaction, {CLIENTS} clients, same server",
               f"{peer['commits_per_s']:.0f} commits/s", f"{best['ratio_to_peer']:.2f} rounds per commit")]
    runs = ", ".join(f"{figures['rounds_per_s']:.0f}" for figures in data["runs"])
    return (f"# Durable rounds\n\n{options['job_rounds']} rounds a job, one tool call a round, {options['concurrency']}"
            f" jobs at once, {options['seconds']} s measured, progress events {'on' if options['progress'] else 'off'}; best of {len(data['runs'])} ({runs}).\n"
            f"{data['machine']['cpu']}, {data['machine']['cores']} cores, load {data['machine']['load_before']} before.\n"
            f"Exact: {best['exact']['jobs']} jobs, {best['exact']['results']} results,"
            f" {best['exact']['rounds']} rounds, {best['exact']['wasted_model_calls']} model calls wasted.\n\n"
            f"{report.table(rows)}\n{report.table(ratios)}\n"
            "The measuring script submits jobs and reads results; it is not part of the total.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench rounds")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--concurrency", type=int, default=256)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--job-rounds", type=int, default=10)
    parser.add_argument("--no-progress", dest="progress", action="store_false")
    options = parser.parse_args()
    stack = Stack()
    machine = report.machine()
    runs = [run(stack, options, number + 1) for number in range(options.repeat)]
    data = {"benchmark": "rounds", "machine": machine, "options": vars(options), "runs": runs,
            "best": max(runs, key=lambda figures: figures["rounds_per_s"])}
    report.write("rounds", data, markdown(data))


if __name__ == "__main__":
    main()
