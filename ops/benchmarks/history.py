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
from rig.exactness import Exactness

_DEADLINE_SECONDS = 300
_SAMPLE_SECONDS = 0.25
_AROUND = (24, 50, 100, 200, 300, 400, 500)
_NEAR = 0.15  # of the round's number, to both sides


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


    folder = os.path.join(report.FOLDER, "history-run")
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


    options, figures = data["options"], data["figures"]
    names = next(iter(figures.values()))
    rows = [("CPU of a round, µs, around round", *figures),
            *((name, *(f"{cpu[name]:.0f}" for cpu in figures.values())) for name in names)]
    return (f"# Long conversations\n\n{options['conversations']} conversations at once, each a job of"
            f" {options['rounds']} rounds with one tool call; nothing is compressed.\n"
            f"{data['machine']['cpu']}, {data['machine']['cores']} cores, load"
            f" {data['machine']['load_before']} before.\n\n{report.table(rows)}\n"
            "The model reads the whole conversation at each of its two calls of a round; the worker sends it.\n")
from benchmarks.steady_rounds import MODEL, WORKER, Snapshot, exact_figures, parts_of
from rig.deployment import Deployment
from rig.jobs import bench_job
from rig.stack import Stack

_HALF_WIDTH = 10  # rounds on each side of the place that is measured
_POLL_SECONDS = 0.05
_SECONDS = 600
_CLOSED = "SELECT count(*) AS n FROM rounds WHERE closed_at IS NOT NULL"


def settings(rounds):
    return {
        "worker": {"lease_ms": 10000, "renew_interval_ms": 2500, "reap_interval_ms": 2000, "claim_interval_ms": 500},
        "limits": {"rounds_per_job_max": rounds, "tokens_per_job_max": 1_000_000_000_000,
                   "cost_per_job_max_usd": 1_000_000},
        # Nothing is made shorter: the window is never reached.
        "llm": {"models": {"scripted": {"context_window": 10_000_000}}},
        "outbox": {"shards": 2}, "observability": {"log_level": "warning"}, "tools": {"cache": {"enabled": False}},
    }


class Jobs:
    """What exactness is checked of."""

    def __init__(self, count, rounds):
        self.jobs = [bench_job(f"long-{i}", messages=rounds) for i in range(count)]


class Watch:
    """Snapshots by how many rounds each conversation has, about: all of them go on side by side."""

    def __init__(self, deployment, conversations):
        self._deployment = deployment
        self._conversations = conversations
        self._parts = parts_of(deployment)

    def _closed(self):
        return self._deployment.database.value(_CLOSED)

    def at(self, round_number):
        """(rounds closed, snapshot) once so many are closed in the mean."""
        deadline = time.monotonic() + _SECONDS
        while (closed := self._closed()) < round_number * self._conversations:
            if time.monotonic() > deadline:
                raise AssertionError(f"{closed} rounds after {_SECONDS} s; {self._deployment.explain()}")
            time.sleep(_POLL_SECONDS)
        return closed, Snapshot(self._deployment, self._parts)

    def around(self, place):
        first_closed, first = self.at(place - _HALF_WIDTH)
        last_closed, last = self.at(place + _HALF_WIDTH)
        rounds = last_closed - first_closed
        busy = last.busy_since(first)
        return {"round": place, "rounds": rounds, "rounds_per_s": rounds / (last.monotonic - first.monotonic),
                "worker_us_per_round": busy[WORKER] / rounds * 1e6, "model_us_per_round": busy[MODEL] / rounds * 1e6,
                "cores_busy_of_others": last.others_since(first)}


def run(stack, options):
    folder = os.path.join(report.FOLDER, "run-history")
    shutil.rmtree(folder, ignore_errors=True)
    rounds = options.places[-1] + 2 * _HALF_WIDTH
    with Deployment(stack, folder, settings(rounds), {"steps": 1}) as deployment:
        deployment.wait_for_worker(deployment.start_worker())
        long = Jobs(options.conversations, rounds)
        deployment.submit(long.jobs)
        watch = Watch(deployment, options.conversations)
        places = [watch.around(place) for place in options.places]
        deployment.wait_for_results(len(long.jobs), _SECONDS)
        return {"places": places, "exact": exact_figures(deployment, long, len(long.jobs) * rounds)}


def markdown(data):
    places, options = data["figures"]["places"], data["options"]
    rows = [("around round", *(one["round"] for one in places))]
    for title, name in (("worker, µs a round", "worker_us_per_round"), ("scripted model, µs a round", "model_us_per_round"),
                        ("rounds per second of all", "rounds_per_s")):
        rows.append((title, *(f"{one[name]:.0f}" for one in places)))
    exact = data["figures"]["exact"]
    return (f"# Long conversations\n\n{options['conversations']} at once, one job each; nothing is made shorter, so the"
            f" requests grow. Each figure is of {2 * _HALF_WIDTH} rounds of each conversation.\n"
            f"{report.machine_line(data['machine'])}Exact: {exact['jobs']} jobs, {exact['rounds']} rounds.\n\n"
            f"{report.table(rows)}\nFew jobs at once make small groups: a round costs more here than in `rounds`.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench history")
    parser.add_argument("--rounds", type=int, default=480)
    options.concurrency, options.progress = max(16, options.conversations), True
    stack, machine = Stack(), report.machine()
    data = {"benchmark": "history", "machine": machine, "options": vars(options), "figures": run(stack, options)}
    parser.add_argument("--conversations", type=int, default=8)
    parser.add_argument("--places", type=int, nargs="+", default=[24, 100, 200, 300, 400])
    options = parser.parse_args()
    if options.places != sorted(options.places) or options.places[0] <= _HALF_WIDTH or any(
            later - one < 2 * _HALF_WIDTH for one, later in zip(options.places, options.places[1:])):
        parser.error(f"--places: rounds in their order, above {_HALF_WIDTH} and {2 * _HALF_WIDTH} apart")
    data = {"benchmark": "history", "machine": report.machine(), "options": vars(options), "figures": run(Stack(), options)}
    report.write("history", data, markdown(data))


if __name__ == "__main__":
    main()
