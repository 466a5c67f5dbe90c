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
