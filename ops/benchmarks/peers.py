# SPDX-License-Identifier: Apache-2.0
"""Durable steps per second and CPU per step, beside LangGraph.js, DBOS and Restate; see ops/bench --help."""

import argparse
import dataclasses
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report, steady_rounds
from benchmarks.peer_programs import Dbos, LangGraph, Restate, Workshop
from benchmarks.steady_rounds import STEPS_A_ROUND, Shape
from rig.accounting import machine_cpu_seconds, own_cpu_seconds
from rig.stack import Stack

OURS = "ba-agent"
_STEPS = 10  # or rounds, of a workflow
_WARM_UP_SECONDS = 3


@dataclasses.dataclass
class Peer:
    start: type
    packages: tuple
    concurrency: int
    what: str


PEERS = {
    "LangGraph.js": Peer(LangGraph, ("@langchain/langgraph", "@langchain/langgraph-checkpoint-postgres"), 16,
                         "a checkpoint in PostgreSQL, durability sync"),
    "DBOS": Peer(Dbos, ("@dbos-inc/dbos-sdk",), 64, "a row in PostgreSQL"),
    "Restate": Peer(Restate, ("@restatedev/restate-server", "@restatedev/restate-sdk"), 64, "an entry of its own log"),
}


class Moment:
    def __init__(self, running):
        self.steps = running.talker.count()["steps"]
        self.cpu = running.cpu_seconds()
        self.machine, self.own, self.at = machine_cpu_seconds(), own_cpu_seconds(os.getpid()), time.monotonic()


def measure_peer(peer, stack, workshop, seconds):
    running = peer.start(stack, workshop, peer.concurrency, _STEPS)
    try:
        time.sleep(_WARM_UP_SECONDS)
        first = Moment(running)
        time.sleep(seconds)
        last = Moment(running)
        running.expect_exact(running.talker.stop())
    finally:
        running.close()
    steps, elapsed = last.steps - first.steps, last.at - first.at
    if steps <= 0:
        raise AssertionError(f"{peer.packages[0]}: no step in {seconds} s")
    busy = {name: last.cpu[name] - first.cpu[name] for name in first.cpu}
    others = last.machine - first.machine - sum(busy.values()) - (last.own - first.own)
    cpu = {name: used / steps * 1e6 for name, used in busy.items()}
    return {"steps_per_s": steps / elapsed, "cpu_us_per_step": {**cpu, "total": sum(cpu.values())},
            "cores_busy_of_others": max(0.0, others / elapsed)}


def measure_ours(stack, shape):
    figures = steady_rounds.run(stack, shape, os.path.join(report.FOLDER, "run-peers"))
    cpu = {name: us / STEPS_A_ROUND for name, us in figures["cpu_us_per_round"].items() if name != steady_rounds.SCRIPT}
    return {"steps_per_s": figures["rounds_per_s"] * STEPS_A_ROUND, "cpu_us_per_step": cpu,
            "cores_busy_of_others": figures["cores_busy_of_others"]}


def measure(stack, options, workshop):
    """The worker before each peer and at the end, so that none of them has another machine."""
    shape = Shape(options.seconds, warm_up_seconds=_WARM_UP_SECONDS, few_ahead=True)
    steady_rounds.run(stack, dataclasses.replace(shape, seconds=1, warm_up_seconds=10),
                      os.path.join(report.FOLDER, "run-peers"))  # the broker's warm-up
    runs = []
    for _ in range(options.repeat):
        for name, peer in PEERS.items():
            runs.append({"who": OURS, **measure_ours(stack, shape)})
            runs.append({"who": name, **measure_peer(peer, stack, workshop, options.seconds)})
    runs.append({"who": OURS, **measure_ours(stack, shape)})
    return runs


def figures_of(runs):
    """Medians, and ours against each peer."""
    figures = {}
    for who in (OURS, *PEERS):
        own = [run for run in runs if run["who"] == who]
        parts = own[0]["cpu_us_per_step"]
        figures[who] = {"steps_per_s": statistics.median(run["steps_per_s"] for run in own), "cpu_us_per_step": {
            part: statistics.median(run["cpu_us_per_step"][part] for run in own) for part in parts}}
    for one in figures.values():
        one["ours_faster"] = figures[OURS]["steps_per_s"] / one["steps_per_s"]
        one["ours_less_cpu"] = one["cpu_us_per_step"]["total"] / figures[OURS]["cpu_us_per_step"]["total"]
    return figures


def _told_of(name, peer, versions):
    packages = ", ".join(f"{package} {versions[package]}" for package in peer.packages)
    each = "rounds of two steps" if name == "LangGraph.js" else "steps"
    return f"- {name}: {packages}; {peer.concurrency} at once, {_STEPS} {each} each; a step is {peer.what}"


def markdown(data):
    rows = [("", "steps/s", "CPU a step", "of it", "worker against it: steps/s", "CPU")]
    for who, one in data["figures"].items():
        cpu = one["cpu_us_per_step"]
        parts = ", ".join(f"{name} {us:.0f}" for name, us in cpu.items() if name != "total")
        against = ("", "") if who == OURS else (f"×{one['ours_faster']:.1f}", f"÷{one['ours_less_cpu']:.1f}")
        rows.append((who, f"{one['steps_per_s']:.0f}", f"{cpu['total']:.0f} µs", parts, *against))
    runs = [("run", "steps/s", "CPU a step, µs", "others, cores")]
    runs += [(run["who"], f"{run['steps_per_s']:.0f}", f"{run['cpu_us_per_step']['total']:.0f}",
              f"{run['cores_busy_of_others']:.2f}") for run in data["runs"]]
    told = "\n".join(_told_of(name, peer, data["versions"]) for name, peer in PEERS.items())
    return (f"# Beside peers\n\nA step is one durable record. The worker's are {STEPS_A_ROUND} a round, with two model calls"
            " over HTTP, a query, and Kafka; all of it counts. The peers do none of that: their steps return at once.\n"
            f"Median of the runs, {data['options']['seconds']} s each, in turns, on the same PostgreSQL.\n"
            f"{report.machine_line(data['machine'])}\n{report.table(rows)}\n{told}\n\n{report.table(runs)}")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench peers")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    workshop = Workshop(os.path.join(report.FOLDER, "run-peers-node"))
    data = {"benchmark": "peers", "machine": report.machine(), "options": vars(options), "versions": workshop.wanted()}
    data["runs"] = measure(Stack(), options, workshop)
    data["figures"] = figures_of(data["runs"])
    report.write("peers", data, markdown(data))


if __name__ == "__main__":
    main()
