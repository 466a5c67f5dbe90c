# SPDX-License-Identifier: Apache-2.0
"""Two workers on one ledger against one that runs as many jobs; see ops/bench --help."""

import argparse
import dataclasses
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.compare import order_of
from benchmarks.paired import ratio_of
from benchmarks.steady_rounds import PARTS, Shape, run
from rig.stack import Stack

_ONE, _TWO = "A", "B"
_WORKERS = {_ONE: 1, _TWO: 2}


def figures_of(runs):
    """The share of one worker's efficiency that two keep: rounds for the same CPU, and for the same time."""
    by_pair = {}
    for one in runs:
        by_pair.setdefault(one["pair"], {})[one["workers"]] = one["figures"]
    pairs = list(by_pair.values())
    cpu = ratio_of([(pair[2]["cpu_us_per_round"]["total"], pair[1]["cpu_us_per_round"]["total"]) for pair in pairs])
    rate = ratio_of([(pair[1]["rounds_per_s"], pair[2]["rounds_per_s"]) for pair in pairs])
    return cpu, rate


def markdown(data, cpu, rate):
    rows = [("run", "workers", "rounds/s", "CPU a round, µs", *PARTS, "others, cores")]
    for one in data["runs"]:
        spent, figures = one["figures"]["cpu_us_per_round"], one["figures"]
        rows.append((one["pair"] + 1, one["workers"], f"{figures['rounds_per_s']:.0f}", f"{spent['total']:.0f}",
                     *(f"{spent[part]:.0f}" for part in PARTS), f"{figures['cores_busy_of_others']:.2f}"))
    return (f"# Two workers on one ledger\n\nTwo with {data['options']['concurrency'] // 2} jobs each against one with"
            f" {data['options']['concurrency']}, on the same processors, in pairs of runs.\n"
            f"{report.machine_line(data['machine'])}\n"
            f"- Rounds for the same CPU, two against one: {cpu.text()}\n"
            f"- Rounds in the same time: {rate.text()}\n\n{report.table(rows)}\n"
            "In every run each job had exactly one result. How they scale over more processors isn't shown by this.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench workers")
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--concurrency", type=int, default=256)
    options = parser.parse_args()
    stack, folder = Stack(), os.path.join(report.FOLDER, "run-workers")
    shape = Shape(options.seconds, options.concurrency, warm_up_seconds=3, few_ahead=True)
    data = {"benchmark": "workers", "machine": report.machine(), "options": vars(options), "runs": []}
    run(stack, dataclasses.replace(shape, seconds=1, warm_up_seconds=10), folder)  # the broker's warm-up
    for pair, name in order_of(options.pairs):
        figures = run(stack, dataclasses.replace(shape, workers=_WORKERS[name]), folder)
        data["runs"].append({"pair": pair, "workers": _WORKERS[name], "figures": figures})
    cpu, rate = figures_of(data["runs"])
    data["figures"] = {
        "efficiency_by_cpu": cpu.value, "efficiency_by_cpu_interval": [cpu.low, cpu.high], "ratio_of_rates": rate.value,
        "cpu_us_per_round": {str(count): statistics.median(
            one["figures"]["cpu_us_per_round"]["total"] for one in data["runs"] if one["workers"] == count)
                             for count in (1, 2)}}
    report.write("workers", data, markdown(data, cpu, rate))


if __name__ == "__main__":
    main()
