# SPDX-License-Identifier: Apache-2.0
"""The cases that stand in files of tests: GoogleTest's in C++, unittest's in Python."""

import dataclasses
import fnmatch
import re

_GOOGLE = re.compile(r"^(TYPED_TEST|TEST|TEST_F|TEST_P)\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+)\(.*$|^    def (test_\w+)\(", re.MULTILINE)
_FORMS = {"TEST": "{}.{}", "TEST_F": "{}.{}", "TEST_P": "*/{}.{}/*", "TYPED_TEST": "{}/*.{}"}


@dataclasses.dataclass(frozen=True)
class Case:
    """One test of a file."""

    path: str
    suite: str
    name: str
    macro: str = "TEST"

    @property
    def full_name(self):
        return f"{self.suite}.{self.name}"

    def is_meant(self, pattern):
        """`pattern`: a suite, a whole name, or either with * and ?."""
        return fnmatch.fnmatchcase(self.full_name, pattern) or fnmatch.fnmatchcase(self.suite, pattern)

    @property
    def filter(self):
        """For --gtest_filter."""
        return _FORMS[self.macro].format(self.suite, self.name)


def cases_of(path, text):
    if path.endswith((".cpp", ".hpp")):
        return [Case(path, m.group(2), m.group(3), m.group(1)) for m in _GOOGLE.finditer(text)]
    found, suite = [], None
    for match in _CLASS.finditer(text):
        suite = match.group(1) or suite
        if match.group(2) and suite:
            found.append(Case(path, suite, match.group(2)))
    return found


def gtest_filter(chosen, all_cases):
    """A short filter for the cases `chosen` of a program that has `all_cases`; None: it runs whole."""
    chosen, others = set(chosen), set(all_cases) - set(chosen)
    if not others:
        return None
    mixed = {case.suite for case in others}
    forms = {case.filter if case.suite in mixed else dataclasses.replace(case, name="*").filter for case in chosen}
    return ":".join(sorted(forms))
