# SPDX-License-Identifier: Apache-2.0
"""Durable rounds per second and CPU time per round; see ops/bench --help."""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report, steady_rounds
from benchmarks.peer import CLIENTS, single_row_commits
from rig.stack import Stack

_PEER_SECONDS = 5


def run(stack, options, number):
    folder = os.path.join(report.FOLDER, f"run-{number}")
    shape = steady_rounds.Shape(options.seconds, options.concurrency, options.job_rounds, options.progress)

    def peer(deployment):
        return {"peer": single_row_commits(deployment.database.url, folder, _PEER_SECONDS, stack.pids()["postgres"])}
    figures = steady_rounds.run(stack, shape, folder, peer)
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
            ("cores busy", f"{best['cores_busy']:.2f} of {data['machine']['cores']},"
             f" others {best['cores_busy_of_others']:.2f}"),
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
