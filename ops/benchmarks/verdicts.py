# SPDX-License-Identifier: Apache-2.0
"""What the guard's verdict on a statement takes; see ops/bench --help."""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from rig.stack import ROOT

_KINDS = {"bare": "an empty transaction", "grammar": "first filter, without the server",
          "new": "verdict, new to its connection", "seen": "verdict, seen before and remembered",
          "anew": "verdict, seen before and judged anew"}
_SPIN = "import os\nos.nice(19)\nwhile True: pass"


@contextlib.contextmanager
def processors_awake():
    """A virtual processor that halts takes longer to wake up than what is measured here: something idle runs."""
    spinning = [subprocess.Popen([sys.executable, "-IS", "-c", _SPIN]) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def measure():
    """Microseconds by kind. The program starts a PostgreSQL of its own."""
    ran = subprocess.run([os.path.join(ROOT, "build/release/ba-verdict-times")], cwd=ROOT, check=False,
                         capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"ba-verdict-times ended with {ran.returncode}: {ran.stderr}")
    times = {kind: [] for kind in _KINDS}
    for line in ran.stdout.splitlines():
        kind, microseconds = line.split()
        times[kind].append(float(microseconds))
    if any(len(one) < 100 for one in times.values()):
        raise SystemExit("ba-verdict-times told of too few statements")
    return times


def figures(times):
    cuts = {kind: statistics.quantiles(one, n=100, method="inclusive") for kind, one in times.items()}
    return {kind: {"calls": len(times[kind]), "mean_us": statistics.fmean(times[kind]), "p50_us": cut[49],
                   "p95_us": cut[94], "ratio_p50": cut[49] / cuts["bare"][49]} for kind, cut in cuts.items()}


def markdown(data):
    rows = [("statement", "calls", "mean", "p50", "p95", "p50 against an empty transaction")]
    for kind, title in _KINDS.items():
        one = data["figures"][kind]
        rows.append((title, one["calls"], f"{one['mean_us']:.0f} µs", f"{one['p50_us']:.0f} µs",
                     f"{one['p95_us']:.0f} µs", f"{one['ratio_p50']:.2f}"))
    machine = data["machine"]
    return ("# Verdicts of query_database's guard\n\nStatements that analysts write daily, on a real server, 50 to a"
            " connection. The first filter comes before a verdict.\n"
            f"{machine['cpu']}, {machine['cores']} cores, load {machine['load_before']} before.\n\n"
            f"{report.table(rows)}")


def main():
    argparse.ArgumentParser(prog="ops/bench verdicts").parse_args()
    data = {"benchmark": "verdicts", "machine": report.machine()}
    with processors_awake():
        data["figures"] = figures(measure())
    report.write("verdicts", data, markdown(data))


if __name__ == "__main__":
    main()
