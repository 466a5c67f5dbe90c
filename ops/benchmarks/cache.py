# SPDX-License-Identifier: Apache-2.0
"""What a call that the result cache answers takes, against one that runs; see ops/bench --help."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from rig.deployment import Deployment
from rig.stack import Stack, program

_QUERIES = {
    "16 rows by their key": "SELECT carrier, name FROM airlines ORDER BY carrier",
    "336,776 rows by carrier": "SELECT carrier, count(*) AS flights, avg(dep_delay)::float AS delay FROM flights"
                               " GROUP BY carrier ORDER BY carrier",
}
_KINDS = {"local": "hit, in this process", "shared": "hit, in the shared table", "miss": "miss",
          "uncached": "without the cache"}


def settings(stack):
    return {"tools": {"data_sources": [{
        "name": "analytics", "url": stack.analytics_url, "description": "flights of 2013", "pool_size": 2,
        "tables": "flights(carrier, dep_delay); airlines(carrier, name)"}]}}


def measure(deployment, sql, calls):
    """Milliseconds of each call by kind; the program has checked that each was of its kind."""
    ran = subprocess.run([program("ba-bench-cache"), str(calls), sql], env=deployment.environment_of_programs(),
                         check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"ba-bench-cache ended with {ran.returncode}: {ran.stderr}")
    times = {kind: [] for kind in _KINDS}
    for line in ran.stdout.splitlines():
        kind, microseconds = line.split()
        times[kind].append(float(microseconds) / 1000)
    if any(len(one) != calls for one in times.values()):
        raise SystemExit(f"ba-bench-cache told of other calls than {calls} of each kind")
    return times


def figures(times):
    """A miss of the same run is what a hit is compared with: only the ratio holds on another machine."""
    cuts = {kind: statistics.quantiles(one, n=100, method="inclusive") for kind, one in times.items()}
    answer = {kind: {"calls": len(times[kind]), "p50_ms": cut[49], "p95_ms": cut[94]} for kind, cut in cuts.items()}
    for one in answer.values():
        one["ratio_p50"] = one["p50_ms"] / answer["miss"]["p50_ms"]
        one["ratio_p95"] = one["p95_ms"] / answer["miss"]["p95_ms"]
    return answer


def markdown(data):
    text = (f"# Hits of the result cache\n\n`query_database` against a real server, {data['options']['calls']} calls of"
            " each kind in turns, all answers equal.\n"
            f"{data['machine']['cpu']}, {data['machine']['cores']} cores, load {data['machine']['load_before']} before.\n")
    for name, query in data["queries"].items():
        rows = [("call", "calls", "p50", "p95", "p50 against a miss's", "p95 against a miss's")]
        for kind, title in _KINDS.items():
            one = query["figures"][kind]
            rows.append((title, one["calls"], f"{one['p50_ms']:.3f} ms", f"{one['p95_ms']:.3f} ms",
                         f"{one['ratio_p50']:.4f}", f"{one['ratio_p95']:.4f}"))
        text += f"\nA query of {name}:\n\n{report.table(rows)}"
    return text


def main():
    parser = argparse.ArgumentParser(prog="ops/bench cache")
    parser.add_argument("--calls", type=int, default=1000)
    options = parser.parse_args()
    if options.calls < 2:
        parser.error("--calls: percentiles need 2 or more")
    stack = Stack()
    folder = os.path.join(report.FOLDER, "run-cache")
    data = {"benchmark": "cache", "machine": report.machine(), "options": vars(options), "queries": {}}
    for name, sql in _QUERIES.items():
        shutil.rmtree(folder, ignore_errors=True)
        with Deployment(stack, folder, settings(stack), {"steps": 1}) as deployment:
            data["queries"][name] = {"sql": sql, "figures": figures(measure(deployment, sql, options.calls))}
    report.write("cache", data, markdown(data))


if __name__ == "__main__":
    main()
