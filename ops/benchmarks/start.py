# SPDX-License-Identifier: Apache-2.0
"""How long after its start a worker takes its first job; see ops/bench --help."""

import argparse
import os
import shutil
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from rig.deployment import Deployment
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.stack import Stack

_JOBS = 3  # on the topic before the worker starts
_TIMES = """
SELECT (SELECT extract(epoch FROM min(entered_at)) FROM incarnations) AS lease,
       extract(epoch FROM min(first_claimed_at)) AS first_job, extract(epoch FROM min(finished_at)) AS first_end FROM jobs"""


def one_start(stack, folder):
    """Seconds from the start of the process; database and script run by one clock."""
    shutil.rmtree(folder, ignore_errors=True)
    jobs = [bench_job(f"job-{i}") for i in range(_JOBS)]
    with Deployment(stack, folder, {"observability": {"log_level": "warning"}}, {"steps": 1}) as deployment:
        deployment.submit(jobs)
        began = time.time()
        deployment.start_worker()
        deployment.wait_for_results(_JOBS, 60)
        Exactness(deployment, jobs).expect_good()
        return {name: float(at) - began for name, at in deployment.database.row(_TIMES).items()}


def markdown(data):
    rows = [("seconds after the process began", "median", *(f"start {i + 1}" for i in range(len(data["starts"]))))]
    for title, name in (("has its lease", "lease"), ("takes its first job", "first_job"), ("ends its first job", "first_end")):
        rows.append((title, f"{data['figures'][name]:.2f}", *(f"{one[name]:.2f}" for one in data["starts"])))
    return (f"# Start of a worker\n\n{_JOBS} jobs wait on the topic. Between lease and first job is the entry into Kafka's"
            f" consumer group.\n{report.machine_line(data['machine'])}\n{report.table(rows)}")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench start")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    stack, folder = Stack(), os.path.join(report.FOLDER, "run-start")
    data = {"benchmark": "start", "machine": report.machine(), "options": vars(options),
            "starts": [one_start(stack, folder) for _ in range(options.repeat)]}
    data["figures"] = {name: statistics.median(one[name] for one in data["starts"]) for name in data["starts"][0]}
    report.write("start", data, markdown(data))


if __name__ == "__main__":
    main()
