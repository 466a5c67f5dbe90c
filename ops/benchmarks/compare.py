# SPDX-License-Identifier: Apache-2.0
"""Two builds of the worker against each other, in pairs of runs on one stack; see ops/bench --help."""

import argparse
import dataclasses
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.builds import build_dir_of, version_of
from benchmarks.paired import ratio_of, verdict
from benchmarks.steady_rounds import KAFKA, MODEL, PARTS, POSTGRES, WORKER, Shape, run
from rig.stack import Stack

_FIRST_WARM_UP_SECONDS = 10  # the broker's, once for all
_WARM_UP_SECONDS = 3
_OTHERS_MATTER_CORES = 0.2


def _cpu(part):
    return lambda figures: figures["cpu_us_per_round"][part]


FIGURES = {
    "CPU a round": ("µs", _cpu("total")),
    "… worker": ("µs", _cpu(WORKER)),
    "… PostgreSQL": ("µs", _cpu(POSTGRES)),
    "… Kafka": ("µs", _cpu(KAFKA)),
    "… scripted model": ("µs", _cpu(MODEL)),
    "durable rounds": ("/s", lambda figures: figures["rounds_per_s"]),
    "a round takes, median": ("ms", lambda figures: figures["round_ms"]["p50"]),
    "WAL a round": ("bytes", lambda figures: figures["wal_bytes_per_round"]),
    "stored a round": ("bytes", lambda figures: figures["stored_bytes_per_round"]),
    "memory of the worker": ("MiB", lambda figures: figures["worker_memory_mib"]),
}


def order_of(pairs):
    """A B B A A B …: neither is always the first of its pair."""
    return [(pair, name) for pair in range(pairs) for name in ("AB" if pair % 2 == 0 else "BA")]


def compared(runs):
    """By figure: the median of each build, and B's ratio to A."""
    by_pair = {}
    for one in runs:
        by_pair.setdefault(one["pair"], {})[one["build"]] = one["figures"]
    answer = {}
    for title, (unit, value) in FIGURES.items():
        pairs = [(value(both["A"]), value(both["B"])) for both in by_pair.values()]
        answer[title] = {"unit": unit, "A": statistics.median(a for a, _ in pairs),
                         "B": statistics.median(b for _, b in pairs), "ratio": ratio_of(pairs)}
    return answer


def markdown(data, figures):
    rows = [("median of the runs", "A", "B", "B / A")]
    rows += [(title, f"{one['A']:.0f} {one['unit']}", f"{one['B']:.0f} {one['unit']}", one["ratio"].text())
             for title, one in figures.items()]
    runs = [("run", "rounds/s", "CPU a round, µs", *PARTS, "others, cores")]
    for one in data["runs"]:
        cpu, busy = one["figures"]["cpu_us_per_round"], one["figures"]["cores_busy_of_others"]
        runs.append((f"{one['pair'] + 1} {one['build']}", f"{one['figures']['rounds_per_s']:.0f}", f"{cpu['total']:.0f}",
                     *(f"{cpu[part]:.0f}" for part in PARTS), f"{busy:.2f}"))
    others = max(one["figures"]["cores_busy_of_others"] for one in data["runs"])
    noise = "" if others < _OTHERS_MATTER_CORES else (
        f"Other programs used up to {others:.2f} cores meanwhile: rounds per second tell little here.\n\n")
    options = data["options"]
    return (f"# Two builds\n\n**{data['verdict']}**\n\n"
            f"- A: {options['A']} ({data['builds']['A']['version']})\n- B: {options['B']} ({data['builds']['B']['version']})\n\n"
            f"{options['pairs']} pairs of runs in turns on one stack, {options['concurrency']} jobs at once,"
            f" {options['rounds_seconds']} s measured each; brackets are intervals of 95 %.\n"
            f"{report.machine_line(data['machine'])}\n{noise}{report.table(rows)}\n{report.table(runs)}\n"
            "In every run each job had exactly one result. One model plays for both builds.\n")


def measure(stack, options, builds):
    """The runs, in their order; the first one only warms the broker up."""
    folder = os.path.join(report.FOLDER, "run-compare")
    shape = Shape(options.rounds_seconds, options.concurrency, warm_up_seconds=_WARM_UP_SECONDS, few_ahead=True)
    shapes = {name: dataclasses.replace(shape, build_dir=build["folder"]) for name, build in builds.items()}
    run(stack, dataclasses.replace(shapes["A"], seconds=1, warm_up_seconds=_FIRST_WARM_UP_SECONDS), folder)
    runs = []
    for pair, name in order_of(options.pairs):
        figures = run(stack, shapes[name], folder)
        runs.append({"pair": pair, "build": name, "figures": figures})
        print(f"pair {pair + 1} of {options.pairs}, {name}: {figures['rounds_per_s']:.0f} rounds/s,"
              f" {figures['cpu_us_per_round']['total']:.0f} µs a round, others {figures['cores_busy_of_others']:.2f} cores",
              flush=True)
    return runs


def main():
    parser = argparse.ArgumentParser(prog="ops/bench compare")
    parser.add_argument("A")
    parser.add_argument("B")
    parser.add_argument("--rounds-seconds", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--concurrency", type=int, default=256)
    options = parser.parse_args()
    if options.pairs < 1 or options.rounds_seconds < 1:
        parser.error("--pairs and --rounds-seconds: 1 or more")
    builds = {name: {"folder": build_dir_of(getattr(options, name))} for name in "AB"}
    for build in builds.values():
        build["version"] = version_of(build["folder"])
    os.environ["BA_BUILD_DIR"] = builds["A"]["folder"]  # of the model
    data = {"benchmark": "compare", "machine": report.machine(), "options": vars(options), "builds": builds}
    data["runs"] = measure(Stack(), options, builds)
    figures = compared(data["runs"])
    data["verdict"] = verdict("CPU a round", figures["CPU a round"]["ratio"])
    data["figures"] = {title: {**one, "ratio": dataclasses.asdict(one["ratio"])} for title, one in figures.items()}
    report.write("compare", data, markdown(data, figures))


if __name__ == "__main__":
    main()
