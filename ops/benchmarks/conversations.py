# SPDX-License-Identifier: Apache-2.0
"""Conversations in flight in one worker while a slow model thinks; see ops/bench --help."""

import argparse
import os
import resource
import shutil
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.load import Load
from benchmarks.steady_rounds import PARTS, WORKER, Snapshot, exact_figures, parts_of
from rig.accounting import connections_to, memory_mib, open_files
from rig.deployment import Deployment
from rig.stack import Stack

_AHEAD = 1.2  # jobs on the topic or in the ledger, by those in flight
_FILES_BESIDE = 2000
_RAMP_SECONDS = 120
_DRAIN_SECONDS = 600


def settings(count):
    jobs = round(_AHEAD * count)
    return {
        "worker": {"lease_ms": 10000, "renew_interval_ms": 2500, "reap_interval_ms": 2000, "claim_interval_ms": 500},
        "limits": {"running_jobs_max": count, "window_jobs_max": jobs, "waiting_jobs_max": 2 * jobs},
        "llm": {"providers": {"scripted": {"concurrency_max": count}}},
        "outbox": {"shards": 2}, "observability": {"log_level": "warning"}, "tools": {"cache": {"enabled": False}},
        "kafka": {"topic_settings": {"job_partitions": 12, "result_partitions": 4}},
    }


def allow_files(count):
    """Of worker and model, which inherit it: a connection each."""
    wanted = count + _FILES_BESIDE
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most not in (resource.RLIM_INFINITY,) and most < wanted:
        raise SystemExit(f"{count} conversations need {wanted} open files; the limit is {most} (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def wait_until_all_are_in_flight(deployment, load, port, count):
    """Seconds until the model had a connection for each conversation, or nearly."""
    began = time.monotonic()
    while connections_to(port) < 0.98 * count:
        if time.monotonic() - began > _RAMP_SECONDS:
            raise AssertionError(f"{connections_to(port)} of {count} conversations in flight after {_RAMP_SECONDS} s;"
                                 f" {deployment.explain()}")
        load.run_for(0.2)
    return time.monotonic() - began


def window(deployment, load, parts, options):
    """Model calls of a window, and when their replies came; a reply's time is that of its request alone."""
    first = Snapshot(deployment, parts)
    load.run_for(options.seconds)
    last = Snapshot(deployment, parts)
    calls = deployment.database.row(
        "SELECT count(*) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50,"
        " percentile_cont(0.99) WITHIN GROUP (ORDER BY latency_ms) AS p99, sum(tries) AS tries FROM steps"
        f" WHERE replied_at >= '{first.at}' AND replied_at < '{last.at}'")
    if not calls["n"]:
        raise AssertionError(f"no reply in {options.seconds} s; {deployment.explain()}")
    elapsed, busy = last.monotonic - first.monotonic, last.busy_since(first)
    return {"calls_per_s": calls["n"] / elapsed, "calls_per_s_ideal": options.count * 1000 / options.delay_ms,
            "reply_ms": {"p50": calls["p50"], "p99": calls["p99"]},
            "late_ms": {name: calls[name] - options.delay_ms for name in ("p50", "p99")},
            "retries": calls["tries"] - calls["n"],
            "cpu_us_per_call": {name: busy[name] / calls["n"] * 1e6 for name in PARTS},
            "cores_busy": sum(busy.values()) / elapsed, "cores_busy_of_others": last.others_since(first)}


def run(stack, options):
    folder = os.path.join(report.FOLDER, "run-conversations")
    shutil.rmtree(folder, ignore_errors=True)
    model = {"steps": 1, "delay_ms": options.delay_ms}
    with Deployment(stack, folder, settings(options.count), model) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        idle = memory_mib(worker.pid)
        port = urllib.parse.urlsplit(deployment.model.url).port
        load = Load(deployment, options.job_rounds, options.count, ahead=round(_AHEAD * options.count))
        try:
            ramp = wait_until_all_are_in_flight(deployment, load, port, options.count)
            load.run_for(options.delay_ms / 1000)
            parts = parts_of(deployment)
            figures = window(deployment, load, parts, options)
            held, files, memory = connections_to(port), open_files(worker.pid), memory_mib(parts[WORKER][0])
            load.finish(_DRAIN_SECONDS)
        finally:
            load.close()
        exact = exact_figures(deployment, load, len(load.jobs) * options.job_rounds)
    return {**figures, "seconds_until_in_flight": ramp, "connections": held, "open_files": files,
            "memory_mib": memory, "memory_idle_mib": idle,
            "kib_per_conversation": (memory - idle) * 1024 / options.count, "exact": exact}


def markdown(data):
    one, options = data["figures"], data["options"]
    rows = [("what", "value"),
            ("connections held to the model", f"{one['connections']}, after {one['seconds_until_in_flight']:.1f} s"),
            ("model calls per second", f"{one['calls_per_s']:.0f}; {one['calls_per_s_ideal']:.0f} if none waited"),
            ("a reply comes after, median / 99 %", f"{one['reply_ms']['p50']:.0f} / {one['reply_ms']['p99']:.0f} ms"),
            ("that is late by", f"{one['late_ms']['p50']:.0f} / {one['late_ms']['p99']:.0f} ms"),
            *((f"CPU per model call, {name}", f"{us:.0f} µs") for name, us in one["cpu_us_per_call"].items()),
            ("cores busy", f"{one['cores_busy']:.2f} of {data['machine']['cores']}, others {one['cores_busy_of_others']:.2f}"),
            ("memory of the worker", f"{one['memory_mib']:.0f} MiB, idle {one['memory_idle_mib']:.0f}"),
            ("… for each conversation", f"{one['kib_per_conversation']:.1f} KiB"),
            ("open files of the worker", one["open_files"]), ("requests sent again", one["retries"])]
    return (f"# Conversations in flight\n\n{options['count']} jobs at once in one worker, a model that answers after"
            f" {options['delay_ms']} ms, {options['job_rounds']} rounds a job, {options['seconds']} s measured.\n"
            f"{report.machine_line(data['machine'])}"
            f"Exact: {one['exact']['jobs']} jobs, {one['exact']['results']} results.\n\n{report.table(rows)}")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench conversations")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--delay-ms", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--job-rounds", type=int, default=5)
    options = parser.parse_args()
    allow_files(options.count)
    data = {"benchmark": "conversations", "machine": report.machine(), "options": vars(options)}
    data["figures"] = run(Stack(), options)
    report.write("conversations", data, markdown(data))


if __name__ == "__main__":
    main()
