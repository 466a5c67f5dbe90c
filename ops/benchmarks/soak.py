# SPDX-License-Identifier: Apache-2.0
"""Whether a worker under steady load takes more memory, files or connections as time goes by; see ops/bench --help."""

import argparse
import os
import shutil
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.load import Load
from benchmarks.steady_rounds import Shape, expect_durable, measure, parts_of
from rig.accounting import memory_mib, open_files
from rig.deployment import Deployment
from rig.jobs import bench_job
from rig.stack import Stack
from rig.topics import Reader

_FULL_SECONDS = 20  # for which the full load is measured
_SAMPLE_SECONDS = 30
_SETTLING = 0.25  # of the time: what a worker takes once isn't growth
_MINUTES_MIN = 2  # for some samples behind that
_FINISH_SECONDS = 300
_CONNECTIONS = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
_LEDGER = """
SELECT (SELECT count(*) FROM jobs WHERE state = 'finished') AS finished, (SELECT count(*) FROM jobs) AS jobs,
  (SELECT coalesce(sum(claims) - count(*), 0) FROM jobs) AS claimed_again"""


class Sums:
    """Results of a topic by job, without keeping them."""

    def __init__(self, deployment):
        self._reader = Reader(deployment.stack.brokers, [deployment.topics["results"]])
        self.keys = set()
        self.records = 0

    def poll(self, seconds):
        for message in self._reader.poll(seconds):
            self.records += 1
            self.keys.add(message.key())
        self._reader.messages.clear()

    def close(self):
        self._reader.close()


def full_rate(deployment, options):
    """Jobs a second of a worker that always has some to take. How many were submitted beside it."""
    load = Load(deployment, options.job_rounds, options.concurrency, ahead=2 * options.concurrency)
    try:
        load.run_for(_FULL_SECONDS)
        figures = measure(deployment, load, parts_of(deployment), _FULL_SECONDS)
        load.finish(_FINISH_SECONDS)
    finally:
        load.close()
    return figures["rounds_per_s"] / options.job_rounds, len(load.jobs)


def sample(deployment, worker, sums):
    return {"memory_mib": memory_mib(worker.pid), "files": open_files(worker.pid),
            "connections": deployment.database.value(_CONNECTIONS), "results": sums.records}


def soak(deployment, worker, sums, rate, options):
    """The samples, and how many jobs were submitted, `rate` a second."""
    began = time.monotonic()
    samples, submitted = [], 0
    while (elapsed := time.monotonic() - began) < 60 * options.minutes:
        due = int(elapsed * rate) - submitted
        if due > 0:
            deployment.submit([bench_job(f"soak-{submitted + i}", messages=options.job_rounds) for i in range(due)])
            submitted += due
        sums.poll(0.2)
        if elapsed >= _SAMPLE_SECONDS * (len(samples) + 1):
            samples.append({"minute": elapsed / 60, **sample(deployment, worker, sums)})
            if len(samples) % 20 == 0:
                print(f"minute {elapsed / 60:.0f}: {samples[-1]}", flush=True)
    return samples, submitted


def slope(samples, name):
    """What is more after an hour, by the median of the slopes between all pairs of samples (Theil and Sen)."""
    slopes = [(two[name] - one[name]) / (two["minute"] - one["minute"]) * 60
              for i, one in enumerate(samples) for two in samples[i + 1:]]
    return statistics.median(slopes)


def run(stack, options):
    folder = os.path.join(report.FOLDER, "run-soak")
    shutil.rmtree(folder, ignore_errors=True)
    shape = Shape(concurrency=options.concurrency, job_rounds=options.job_rounds)
    with Deployment(stack, folder, shape.settings(), {"steps": 1}) as deployment:
        expect_durable(deployment.database)
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        full, before = full_rate(deployment, options)
        sums = Sums(deployment)
        try:
            samples, submitted = soak(deployment, worker, sums, full * options.share, options)
            deadline = time.monotonic() + _FINISH_SECONDS
            while sums.records < before + submitted and time.monotonic() < deadline:
                sums.poll(0.2)
        finally:
            sums.close()
        ledger = deployment.database.row(_LEDGER)
        jobs = before + submitted
        if not jobs == len(sums.keys) == sums.records == ledger["finished"] == ledger["jobs"]:
            raise AssertionError(f"{jobs} jobs, {sums.records} results of {len(sums.keys)}; the ledger has {ledger}")
    late = [one for one in samples if one["minute"] >= _SETTLING * options.minutes]
    return {"full_jobs_per_s": full, "jobs": jobs, "claimed_again": ledger["claimed_again"], "samples": samples,
            "mib_per_hour": slope(late, "memory_mib"), "mib_first": late[0]["memory_mib"], "mib_last": late[-1]["memory_mib"],
            "files": [min(one["files"] for one in late), max(one["files"] for one in late)],
            "connections": [min(one["connections"] for one in late), max(one["connections"] for one in late)]}


def markdown(data):
    figures, options = data["figures"], data["options"]
    rows = [("what", "value"),
            ("jobs, each with one result", f"{figures['jobs']:,}"),
            ("of them claimed more than once", f"{figures['claimed_again']:,}"),
            ("memory of the worker, first and last", f"{figures['mib_first']:.1f} and {figures['mib_last']:.1f} MiB"),
            ("what it grew by in an hour", f"{figures['mib_per_hour']:+.2f} MiB"),
            ("open files, least and most", "{} and {}".format(*figures["files"])),
            ("connections to the ledger, least and most", "{} and {}".format(*figures["connections"]))]
    return (f"# {options['minutes']} minutes at {options['share']:.0%} of the load\n\nThe full load was"
            f" {figures['full_jobs_per_s']:.0f} jobs of {options['job_rounds']} rounds a second. Figures are of the time after"
            f" the first {_SETTLING:.0%}.\n{report.machine_line(data['machine'])}\n{report.table(rows)}")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench soak")
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--concurrency", type=int, default=256)
    parser.add_argument("--job-rounds", type=int, default=10)
    options = parser.parse_args()
    if options.minutes < _MINUTES_MIN or not 0 < options.share <= 1:
        parser.error(f"--minutes is {_MINUTES_MIN} or more, --share above 0 and at most 1")
    data = {"benchmark": "soak", "machine": report.machine(), "options": vars(options), "figures": run(Stack(), options)}
    report.write("soak", data, markdown(data))


if __name__ == "__main__":
    main()
