# SPDX-License-Identifier: Apache-2.0
"""How long after kill -9 of a worker its jobs run again elsewhere; see ops/bench --help."""

import argparse
import os
import shutil
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from rig.deployment import LEASE_SECONDS, Deployment
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.stack import Stack
from rig.waiting import wait_until

_JOBS = 60
_AT_ONCE = 8  # of each worker
_SETTINGS = {"limits": {"running_jobs_max": _AT_ONCE}, "observability": {"log_level": "warning"}}
_SLOW_MODEL = {"delay_ms": 60, "steps": 2}  # so that a kill lands in the middle


def owned_by(deployment, worker):
    return [row["id"] for row in deployment.database.rows(
        "SELECT j.id FROM jobs j JOIN incarnations i ON i.id = j.incarnation"
        f" WHERE j.state = 'running' AND i.pid = {worker.pid}")]


def one_kill(stack, folder):
    """Seconds from the kill until each of the dead worker's jobs has a claim after it, by the ledger's clock."""
    shutil.rmtree(folder, ignore_errors=True)
    jobs = [bench_job(f"job-{i}", messages=2) for i in range(_JOBS)]
    with Deployment(stack, folder, _SETTINGS, _SLOW_MODEL) as deployment:
        victim, survivor = deployment.start_worker(), deployment.start_worker()
        for worker in (victim, survivor):
            deployment.wait_for_worker(worker)
        deployment.submit(jobs)
        wait_until(lambda: deployment.finished() >= _JOBS // 4 and owned_by(deployment, victim), 60, deployment.explain)
        killed = time.time()
        victim.kill()
        orphans = owned_by(deployment, victim)
        if not orphans:
            raise AssertionError("the killed worker had no job")
        deployment.wait_for_results(_JOBS, 120)
        exact = Exactness(deployment, jobs)
        exact.expect_good()
        again = deployment.database.row(
            f"SELECT extract(epoch FROM max(claimed_at)) AS at, min(claims) AS claims FROM jobs"
            f" WHERE id IN ({', '.join(map(str, orphans))})")
        if again["claims"] < 2:
            raise AssertionError("a job of the killed worker was never claimed again")
        return {"jobs": len(orphans), "seconds": float(again["at"]) - killed, "wasted_model_calls": exact.wasted}


def markdown(data):
    rows = [("kill", "its jobs", "all run again after", "model calls wasted")]
    rows += [(i + 1, one["jobs"], f"{one['seconds']:.2f} s", one["wasted_model_calls"]) for i, one in enumerate(data["kills"])]
    return (f"# Recovery after kill -9\n\nOne of two workers is killed in the middle of {_JOBS} jobs; a lease lasts"
            f" {LEASE_SECONDS} s. Median **{data['figures']['seconds']:.2f} s**.\n"
            f"{report.machine_line(data['machine'])}\n{report.table(rows)}\n"
            "Afterwards every job had exactly one result.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench recovery")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    stack, folder = Stack(), os.path.join(report.FOLDER, "run-recovery")
    data = {"benchmark": "recovery", "machine": report.machine(), "options": vars(options), "lease_seconds": LEASE_SECONDS,
            "kills": [one_kill(stack, folder) for _ in range(options.repeat)]}
    data["figures"] = {"seconds": statistics.median(one["seconds"] for one in data["kills"]),
                       "seconds_after_lease": statistics.median(one["seconds"] for one in data["kills"]) - LEASE_SECONDS}
    report.write("recovery", data, markdown(data))


if __name__ == "__main__":
    main()
