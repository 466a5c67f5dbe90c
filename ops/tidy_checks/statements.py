# SPDX-License-Identifier: Apache-2.0
"""The lists of tests/statements: each statement names tests, and those are there. So are those that
config/LIMITS.md names, each in the file before its name."""

import re

from .source_tree import line_of

_FOLDER = "tests/statements/"
_LIMITS = "config/LIMITS.md"
_MACRO = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
_FUNCTION = re.compile(r"^ *def (\w+)\(", re.MULTILINE)
_LITERAL = re.compile(r'"([^"\n]*)"')
_ROW = re.compile(r"^\|(.+)\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^[ :-]+$")
_NAME = re.compile(r"`([^`]*)`")
# Of LIMITS.md: a file, with the names of its tests behind it; or names alone.
_NAMED = re.compile(r"`([^`]*)`|\b((?:[A-Z]\w*\.)?[A-Z]\w*)")


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
    """(offset, cells, those of the table's head) of each row below a table's rule."""
    below = False
    end = 0
    head = last = ()
    for match in _ROW.finditer(text):
        cells = [cell.strip() for cell in match.group(1).split("|")]
        below = below and text[end:match.start()].strip() == "" and "\n\n" not in text[end:match.start()]
        if below:
            yield match.start(), cells, head
        elif all(_RULE.match(cell) for cell in cells):
            below, head = True, last
        last = cells
        end = match.end()


def _files_of_tests(tree):
    """Each name of a C++ test, with and without its suite, and the files that have it."""
    files = {}
    for path in tree.paths:
        if path.startswith("tests/") and path.endswith(".cpp"):
            for suite, test in _MACRO.findall(tree.text(path)):
                files.setdefault(test, set()).add(path)
                files.setdefault(f"{suite}.{test}", set()).add(path)
    return files


def _check_limits(tree):
    text = tree.text(_LIMITS)
    files = _files_of_tests(tree)
    findings = []
    for offset, cells, head in rows(text):
        if head[-1] != "test":
            continue
        place, end = "", 0
        for match in _NAMED.finditer(cells[-1]):
            if match.group(1) is not None or ";" in cells[-1][end:match.start()]:
                place = ""
            end = match.end()
            if match.group(1) is not None:
                place = match.group(1)
                continue
            name = match.group(2)
            within = place.removeprefix("…/").removesuffix("_test.cpp")
            if not any(within in path for path in files.get(name, ())):
                findings.append(f"{_LIMITS}:{line_of(text, offset)}: there is no test {name!r}" + (f" in {place}" if place else ""))
    return findings


def check(tree):
    lists = [p for p in tree.paths if p.startswith(_FOLDER) and p.endswith(".md")]
    tests = _tests(tree) if lists else set()
    findings = _check_limits(tree) if _LIMITS in tree.paths else []
    for path in lists:
        text = tree.text(path)
        seen = set()
        for offset, cells, _ in rows(text):
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
