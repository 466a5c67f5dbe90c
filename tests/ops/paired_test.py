#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""What ops/bench compare says of two builds: a difference that is there is told, with its interval, and one that noise
may have made isn't."""

import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../ops"))

# pylint: disable=wrong-import-position
from benchmarks.paired import PAIRS_MIN, ratio_of, verdict

SEED = 1


def noisy(chance, ratio, count, noise=0.1):
    """Pairs of runs: what disturbs a pair hits both, and each run has noise of its own."""
    pairs = []
    for _ in range(count):
        level = 1000 * math.exp(chance.gauss(0, 0.3))
        pairs.append((level * math.exp(chance.gauss(0, noise)), level * ratio * math.exp(chance.gauss(0, noise))))
    return pairs


class Paired(unittest.TestCase):
    def test_a_difference_that_is_there_is_told(self):
        ratio = ratio_of([(100, 84), (110, 92), (90, 76), (105, 88), (99, 84), (300, 250), (101, 85)])
        self.assertTrue(ratio.differs)
        self.assertAlmostEqual(ratio.value, 0.84, 2)
        self.assertTrue(0.83 < ratio.low < ratio.value < ratio.high < 0.85, ratio)
        self.assertEqual(verdict("CPU a round", ratio), f"B is faster than A: CPU a round {ratio.text()}, 7 pairs.")

    def test_the_other_way_round_it_is_slower(self):
        pairs = [(84, 100), (92, 110), (76, 90), (88, 105), (84, 99), (250, 300), (85, 101)]
        told, turned = ratio_of(pairs), ratio_of([(b, a) for a, b in pairs])
        self.assertIn("B is slower than A", verdict("CPU", told))
        self.assertAlmostEqual(told.value, 1 / turned.value)
        self.assertAlmostEqual(told.low, 1 / turned.high)

    def test_noise_tells_nothing(self):
        ratio = ratio_of([(100, 98), (100, 103), (100, 95), (100, 107), (100, 99), (100, 104), (100, 96)])
        self.assertFalse(ratio.differs)
        self.assertRegex(verdict("CPU", ratio), r"^No difference can be told: CPU ×1\.00 \(0\.9\d–1\.0\d\), 7 pairs; ")

    def test_few_pairs_tell_nothing_however_far_apart(self):
        ratio = ratio_of([(100, 10)] * (PAIRS_MIN - 1))
        self.assertIsNone(ratio.low)
        self.assertFalse(ratio.differs)
        self.assertEqual(verdict("CPU", ratio), "No difference can be told: CPU ×0.10, 5 pairs; it takes 6 pairs or more.")
        self.assertTrue(ratio_of([(100, 10)] * PAIRS_MIN).differs)

    def test_the_ranks_are_those_of_the_published_tables(self):
        """Wilcoxon's signed ranks, two-sided, 5 %: 6 pairs 0, 10 pairs 8, 20 pairs 52 below the bound."""
        for count, critical in ((6, 0), (10, 8), (20, 52)):
            logs = [float(2 ** i) for i in range(count)]
            means = sorted((one + other) / 2 for i, one in enumerate(logs) for other in logs[i:])
            ratio = ratio_of([(1.0, math.exp(log / 1e5)) for log in logs])
            self.assertAlmostEqual(math.log(ratio.low) * 1e5, means[critical], 4)

    def test_builds_that_are_alike_are_seldom_told_apart(self):
        chance = random.Random(SEED)
        wrong = sum(ratio_of(noisy(chance, 1.0, 10)).differs for _ in range(1000))
        self.assertTrue(20 <= wrong <= 75, f"{wrong} of 1000 with seed {SEED}; 49 are expected")

    def test_a_difference_beyond_the_noise_is_mostly_told(self):
        chance = random.Random(SEED)
        told = sum(ratio_of(noisy(chance, 0.8, 10)).differs for _ in range(200))
        self.assertGreater(told, 190)

    def test_more_pairs_are_asked_for_as_the_difference_is_smaller(self):
        small, large = (ratio_of([(100, base - 6), (100, base + 6)] * 4) for base in (99, 96))
        self.assertGreater(small.pairs_to_tell(), large.pairs_to_tell())


if __name__ == "__main__":
    unittest.main()
