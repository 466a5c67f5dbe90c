# SPDX-License-Identifier: Apache-2.0
"""The lists of tests/statements: each statement names tests, and those are there."""

import re

from .source_tree import line_of

_FOLDER = "tests/statements/"
_MACRO = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
_FUNCTION = re.compile(r"^ *def (\w+)\(", re.MULTILINE)
_LITERAL = re.compile(r'"([^"\n]*)"')
_ROW = re.compile(r"^\|(.+)\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^[ :-]+$")
_NAME = re.compile(r"`([^`]*)`")


def _tests(tree):
    """Names as gtest writes them, and of cases and functions of scripts in plain words."""
    names = set()
    for path in tree.paths:
        if not path.startswith("tests/"):
            continue
        if path.endswith(".cpp"):
            names.update(f"{suite}.{test}" for suite, test in _MACRO.findall(tree.text(path)))
        elif path.endswith("_test.py"):
            names.update(name.replace("_", " ") for name in _FUNCTION.findall(tree.text(path)))
            names.update(_LITERAL.findall(tree.text(path)))
    return names


def rows(text):
    """(offset, cells) of each row below a table's rule."""
    below = False
    end = 0
    for match in _ROW.finditer(text):
        cells = [cell.strip() for cell in match.group(1).split("|")]
        below = below and text[end:match.start()].strip() == ""
        if below:
            yield match.start(), cells
        below = below or all(_RULE.match(cell) for cell in cells)
        end = match.end()


def check(tree):
    lists = [p for p in tree.paths if p.startswith(_FOLDER) and p.endswith(".md")]
    tests = _tests(tree) if lists else set()
    findings = []
    for path in lists:
        text = tree.text(path)
        seen = set()
        for offset, cells in rows(text):
            where = f"{path}:{line_of(text, offset)}"
            named = _NAME.findall(cells[-1])
            if len(cells) != 2 or not cells[0] or not named:
                findings.append(f"{where}: not a statement and the tests that show it, each in `…`")
            findings += [f"{where}: there is no test {name!r}" for name in named if name not in tests]
            if cells[0] in seen:
                findings.append(f"{where}: the statement {cells[0]!r} stands there twice")
            seen.add(cells[0])
        if not seen:
            findings.append(f"{path}:1: has no statements")
    return findings
