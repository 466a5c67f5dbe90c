#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""The table of ops/bench encodings says what was counted, and no count stands that is in doubt."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "ops"))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from benchmarks import encodings, tokens


class FakeTool:
    """Texts of known lengths, whatever is asked."""

    @staticmethod
    def texts(_sql):
        lengths = {"json": 1000, "json_line": 100, "compact": 105, "yaml": 1001, "xml": 2140}
        return [{"a": 1, "b": 2}], {encoding: "x" * length for encoding, length in lengths.items()}


class EncodingsTest(unittest.TestCase):
    def test_each_row_compares_with_both_kinds_of_json(self):
        counter = tokens.TokenCounter({name: (list, list) for name in tokens.VOCABULARIES})
        text = encodings.markdown(encodings.measure(FakeTool, counter))
        row = "| one number | 1 × 2 | 1,000 | 100 (−90 %) | 105 (−90 %) | 1,001 (±0 %) | 2,140 (+114 %) | +5 % |"
        self.assertEqual(text.count(row), len(tokens.VOCABULARIES), text)

    def test_counters_that_disagree_give_no_figure(self):
        counter = tokens.TokenCounter({"o200k_base": (lambda text: [1, 2], lambda text: [1, 3])})
        with self.assertRaisesRegex(SystemExit, "don't agree"):
            counter.count("text")


if __name__ == "__main__":
    unittest.main()
