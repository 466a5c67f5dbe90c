# SPDX-License-Identifier: Apache-2.0
"""What a round costs late in a long conversation; see ops/bench --help."""

import argparse
import os
import shutil
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.rounds import settings
from rig.accounting import cpu_seconds
from rig.deployment import Deployment
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.stack import Stack

_DEADLINE_SECONDS = 300
_SAMPLE_SECONDS = 0.25
_AROUND = (24, 50, 100, 200, 300, 400, 500)
_NEAR = 0.15  # of the round's number, to both sides
_CLOSED = "SELECT count(*) AS n FROM rounds WHERE closed_at IS NOT NULL"


def sample(deployment, parts, conversations):
    done = deployment.database.value(_CLOSED) / conversations
    return done, {name: cpu_seconds(pid) for name, pid in parts.items()}


def watch(deployment, parts, options):
    """(rounds that each conversation has done, CPU seconds so far) until all are done."""
    samples, end = [], time.monotonic() + _DEADLINE_SECONDS
    while not samples or samples[-1][0] < options.rounds:
        if time.monotonic() > end:
            raise AssertionError(f"{samples[-1][0]:.0f} rounds after {_DEADLINE_SECONDS} s;"
                                 f" {deployment.explain()}")
        time.sleep(_SAMPLE_SECONDS)
        samples.append(sample(deployment, parts, options.conversations))
    return samples


def around(samples, number, conversations):
    """CPU microseconds of each process for a round, in the samples nearest to where the window ends."""
    first, last = (min(samples, key=lambda one, end=number * part: abs(one[0] - end))
                   for part in (1 - _NEAR, 1 + _NEAR))
    rounds = (last[0] - first[0]) * conversations
    if rounds == 0:
        return None
    return {name: (last[1][name] - first[1][name]) / rounds * 1e6 for name in last[1]}


def run(stack, options):
    folder = os.path.join(report.FOLDER, "history-run")
    shutil.rmtree(folder, ignore_errors=True)
    with Deployment(stack, folder, settings(options), {"steps": 1}) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        parts = {"worker": worker.pid, "scripted model": deployment.model.process.pid}
        jobs = [bench_job(f"job-{number}", messages=options.rounds) for number in range(options.conversations)]
        deployment.submit(jobs)
        samples = watch(deployment, parts, options)
        Exactness(deployment, jobs).expect_good()
        figures = {number: around(samples, number, options.conversations)
                   for number in _AROUND if number * (1 + _NEAR) <= options.rounds}
        return {number: cpu for number, cpu in figures.items() if cpu}


def markdown(data):
    options, figures = data["options"], data["figures"]
    names = next(iter(figures.values()))
    rows = [("CPU of a round, µs, around round", *figures),
            *((name, *(f"{cpu[name]:.0f}" for cpu in figures.values())) for name in names)]
    return (f"# Long conversations\n\n{options['conversations']} conversations at once, each a job of"
            f" {options['rounds']} rounds with one tool call; nothing is compressed.\n"
            f"{data['machine']['cpu']}, {data['machine']['cores']} cores, load"
            f" {data['machine']['load_before']} before.\n\n{report.table(rows)}\n"
            "The model reads the whole conversation at each of its two calls of a round; the worker sends it.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench history")
    parser.add_argument("--rounds", type=int, default=480)
    parser.add_argument("--conversations", type=int, default=8)
    options = parser.parse_args()
    options.concurrency, options.progress = max(16, options.conversations), True
    stack, machine = Stack(), report.machine()
    data = {"benchmark": "history", "machine": machine, "options": vars(options), "figures": run(stack, options)}
    report.write("history", data, markdown(data))


if __name__ == "__main__":
    main()
