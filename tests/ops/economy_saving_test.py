#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""What `ops/bench economy` holds the reports' savings to: the same bound on results as the worker reckons with, tokens as the
scripted model bills them, and a tolerance that a wrong figure doesn't pass."""

import json
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "ops"))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from benchmarks.economy_saving import TOKENIZER, TOLERANCE, compared
from benchmarks.plain_loop import OBSERVATION_BYTES_MAX


def tokens(text):
    """Each piece is one; what no piece takes would be one, too."""
    pattern = TOKENIZER["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    pieces = re.findall(pattern, text)
    assert "".join(pieces) == text, text
    return len(pieces)


class EconomySavingTest(unittest.TestCase):
    def test_the_bound_of_a_plain_result_is_the_plain_loops(self):
        with open(os.path.join(ROOT, "pipeline/core/tool/full_text.hpp"), encoding="utf-8") as file:
            bound = re.search(r"kPlainResultBytesMax = (\d+) \* (\d+);", file.read())
        self.assertEqual(int(bound[1]) * int(bound[2]), OBSERVATION_BYTES_MAX)

    def test_tokens_are_four_bytes_of_a_request(self):
        rows = [{"tailnum": f"N{number}AA", "year": 1990 + number % 20, "seats": number} for number in range(200)]
        for text in (json.dumps(rows, indent=2), json.dumps(rows), "[200]{tailnum,year}:\n" + "  N1,1990\n" * 200, "x" * 999):
            billed = (len(json.dumps(text)) - 2) / 4
            self.assertLess(abs(tokens(text) - billed), TOLERANCE * billed, text[:40])

    def test_a_figure_agrees_within_its_tolerance_of_the_plain_bill(self):
        self.assertEqual(compared(600, 1000, 400), {"told_micro_usd": 600, "billed_micro_usd": 600, "agree": True})
        for told, agree in ((500, True), (499, False), (700, True), (701, False), (-600, False)):
            self.assertIs(compared(told, 1000, 400)["agree"], agree, told)


if __name__ == "__main__":
    unittest.main()
