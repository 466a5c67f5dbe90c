# SPDX-License-Identifier: Apache-2.0
"""Durable rounds where PostgreSQL and the model are further away; see ops/bench --help."""

import argparse
import dataclasses
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.paired import ratio_of
from benchmarks.steady_rounds import PARTS, WIRE, Shape, run
from rig.stack import Stack

# At once: what a far source takes to keep up, and what the stack's role may have (ops/data/roles.sql).
_QUERIES = 48


def rate_of(figures, cores):
    """Rounds a second for each core that the wire leaves. A real one takes none."""
    return figures["rounds_per_s"] / (cores - figures["cores_of_wire"])


def figures_of(data):
    """By milliseconds of each direction, against no wire: rounds for the same cores, CPU for a round."""
    cores, by_turn = data["machine"]["cores"], {}
    for one in data["runs"]:
        by_turn.setdefault(one["turn"], {})[one["ms"]] = one["figures"]
    answer = {}
    for ms in data["options"]["ms"]:
        pairs = [(turn[0], turn[ms]) for turn in by_turn.values()]
        answer[f"{ms:g}"] = {
            "rate": dataclasses.asdict(ratio_of([(rate_of(near, cores), rate_of(far, cores)) for near, far in pairs])),
            "cpu": dataclasses.asdict(ratio_of([(near["cpu_us_per_round"]["total"], far["cpu_us_per_round"]["total"])
                                                for near, far in pairs])),
            "round_ms": statistics.median(far["round_ms"]["p50"] for _, far in pairs)}
    return answer


def markdown(data):
    rows = [("each direction takes", "rounds for the same cores", "CPU a round", "a round takes, median")]
    rows += [(f"{ms} ms", f"×{one['rate']['value']:.2f}", f"×{one['cpu']['value']:.2f}", f"{one['round_ms']:.0f} ms")
             for ms, one in data["figures"].items()]
    runs = [("turn", "ms", "rounds/s", "cores of the wire", *(f"{part}, µs" for part in PARTS), "a round takes, ms")]
    for one in data["runs"]:
        figures, cpu = one["figures"], one["figures"]["cpu_us_per_round"]
        runs.append((one["turn"] + 1, f"{one['ms']:g}", f"{figures['rounds_per_s']:.0f}", f"{figures['cores_of_wire']:.2f}",
                     *(f"{cpu[part]:.0f}" for part in PARTS), f"{figures['round_ms']['p50']:.0f}"))
    return ("# PostgreSQL and the model further away\n\n"
            f"{data['options']['concurrency']} jobs at once, against the same without a wire. The ledger, the data source and"
            " the model are behind it, Kafka isn't: no job waits for Kafka.\n"
            f"{report.machine_line(data['machine'])}\n{report.table(rows)}\n{report.table(runs)}\n"
            "In every run each job had exactly one result.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench remote")
    parser.add_argument("--ms", type=float, nargs="+", default=[1, 5])
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=256)
    options = parser.parse_args()
    stack, folder = Stack(), os.path.join(report.FOLDER, "run-remote")
    shape = Shape(options.seconds, options.concurrency, warm_up_seconds=5, few_ahead=True, queries=_QUERIES)
    data = {"benchmark": "remote", "machine": report.machine(), "options": vars(options), "runs": []}
    run(stack, dataclasses.replace(shape, seconds=1, warm_up_seconds=10), folder)  # the broker's warm-up
    for turn in range(options.repeat):
        for ms in (0, *options.ms):
            figures = run(stack, dataclasses.replace(shape, delay_us=round(ms * 1000)), folder)
            figures["cores_of_wire"] = figures["cpu_us_per_round"].get(WIRE, 0) * figures["rounds_per_s"] / 1e6
            data["runs"].append({"turn": turn, "ms": ms, "figures": figures})
    data["figures"] = figures_of(data)
    report.write("remote", data, markdown(data))


if __name__ == "__main__":
    main()
