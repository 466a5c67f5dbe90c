# SPDX-License-Identifier: Apache-2.0
"""Prints "PASSED FAILED" of a JUnit file of ctest; what was skipped or disabled has failed."""

import sys
import xml.etree.ElementTree

SUITE = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
CASES = SUITE.findall("testcase")
PASSED = sum(1 for case in CASES if case.get("status") == "run" and case.find("failure") is None
             and case.find("skipped") is None)
print(PASSED, len(CASES) - PASSED)
