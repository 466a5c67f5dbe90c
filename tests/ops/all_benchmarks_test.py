#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""The table of ops/bench all: a figure stands beside its target, and a benchmark without one is told."""

import os
import re
import subprocess
import sys
import unittest

OPS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../ops")
sys.path.insert(0, OPS)

# pylint: disable=wrong-import-position
from benchmarks import all as whole
from benchmarks.catalog import BENCHMARKS, Benchmark, Figure

MACHINE = {"cpu": "a processor", "cores": 2, "memory_gib": 24.0, "kernel": "6", "load_before": 0.1}
FEW = Figure("few", lambda data: data["few"], "µs", 520, 400)
MANY = Figure("many", lambda data: data["many"], "/s", 3000, None, True, lambda data: "×2.0 a peer")


def table_of(outcomes, quick=False):
    return whole.markdown({"machine": MACHINE, "options": {"quick": quick}, "versions": {"worker": "1"}, "benchmarks": outcomes})


def outcome(figures, data, problem=None):
    return {"name": "one", "figures": [whole.told(figure, data) for figure in figures], "problem": problem}


class All(unittest.TestCase):
    def test_a_figure_stands_beside_its_target(self):
        text = table_of([outcome((FEW, MANY), {"few": 500.4, "many": 1627.0})])
        self.assertIn("| few | 500 µs | ≤ 520 µs | ≤ 400 µs | yes |  |", text)
        self.assertIn("| many | 1,627 /s | ≥ 3,000 /s |  | **no** | ×2.0 a peer |", text)
        self.assertNotIn("Without a figure", text)

    def test_the_target_itself_is_met(self):
        self.assertTrue(FEW.met(520) and MANY.met(3000))
        self.assertFalse(FEW.met(520.1) or MANY.met(2999.9))

    def test_a_program_that_is_not_there_is_told(self):
        missing = whole.outcome_of(Benchmark("nothing_like_it", (FEW,)), True)
        self.assertEqual(missing["problem"], "ops/benchmarks/nothing_like_it.py isn't there")
        self.assertIn("Without a figure:\n\n- **nothing_like_it**: ops/benchmarks/nothing_like_it.py isn't there", table_of([missing]))

    def test_another_form_than_expected_is_told(self):
        before, whole.run_one = whole.run_one, lambda benchmark, quick: ({"other": 1}, None)
        try:
            self.assertIn("another form", whole.outcome_of(Benchmark("one", (FEW,)), True)["problem"])
            self.assertIn("names no figures", whole.outcome_of(Benchmark("one"), True)["problem"])
        finally:
            whole.run_one = before

    def test_a_claim_is_the_slowest_of_its_size(self):
        (claims,) = (benchmark for benchmark in BENCHMARKS if benchmark.name == "claims")
        figures = {"claim of 8, from the first tenant": {"ms": 2.5}, "claim of 8, from the middle": {"ms": 3.5},
                   "claim of 256, from the middle": {"ms": 19}, "look": {"ms": 99}}
        sizes = [{"tenants": 1000, "jobs": 100, "figures": figures}, {"tenants": 10000, "jobs": 100, "figures": {}}]
        self.assertEqual([figure.value({"sizes": sizes}) for figure in claims.figures], [3.5, 19])

    def test_quick_figures_are_marked(self):
        self.assertIn("**Quick:", table_of([], quick=True))
        self.assertNotIn("**Quick:", table_of([]))

    def test_each_is_a_command_of_its_own(self):
        usage = subprocess.run([os.path.join(OPS, "bench"), "--help"], check=True, capture_output=True, text=True).stdout
        for benchmark in BENCHMARKS:
            there = os.path.exists(os.path.join(OPS, "benchmarks", benchmark.file))
            self.assertEqual(there, re.search(rf"ops/bench {benchmark.name}\b", usage) is not None, benchmark.name)


if __name__ == "__main__":
    unittest.main()
