# SPDX-License-Identifier: Apache-2.0
"""Markdown: documents are short enough to be read, lines fit a window, and links lead to something."""

import os
import re

from .source_tree import line_of

_COLUMNS_MAX = 110
_WORDS_MAX = {"README.md": 1100, "ARCHITECTURE.md": 4000}
_LINES_MAX = {"README.md": 120, "ARCHITECTURE.md": 250}
_FOLDER_README_WORDS_MAX = 300
# A table here is a reference that nobody reads from end to end: its words don't count.
_REFERENCE_TABLES = ("ops/", "tests/")

# Files and folders (with a slash at the end) that don't keep to the columns, each with its reason.
_ANY_WIDTH = {
    "CHANGELOG.md": "entries are copied into releases, one line each",
    "tests/worker/tools/skills/data/": "test data: the length of a line is what a test is about",
}
# The same for tables only: a row of Markdown can't go on in a second line.
_WIDE_TABLES = {
    "config/LIMITS.md": "one row for each limit, with its default, its end and its test",
    "config/MODEL_SERVERS.md": "a column for each model server; a test reads the rows",
    "config/SECURITY.md": "tests and scripts apply the rows as they stand",
    "tests/chaos/crash_matrix.md": "written by ops/chaos matrix",
    "tests/statements/": "one row for each statement, with the names of all its tests",
}

_WORD = re.compile(r"\S*\w\S*")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_FENCE = re.compile(r"^[ ]*(```+|~~~+)[^\n]*\n.*?(?:^[ ]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^ {0,3}\[[^\]]+\]:[ \t]*(\S+)", re.MULTILINE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.*?)[ \t#]*$", re.MULTILINE)
_OWN_ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
_NO_SLUG = re.compile(r"[^\w\- ]")


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def _reason(path, reasons):
    return next((why for name, why in reasons.items() if path == name or (name[-1] == "/" and path.startswith(name))), None)


def words(text):
    return len(_WORD.findall(text))


def _check_words(path, text):
    if os.path.basename(path) == "README.md" and "/" in path:
        most = _FOLDER_README_WORDS_MAX
        if path.startswith(_REFERENCE_TABLES):
            text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    else:
        most = _WORDS_MAX.get(path)
    count = words(text)
    return [f"{path}:1: {count} words, {most} are allowed"] if most is not None and count > most else []


def _check_lines(path, text):
    count, most = len(text.splitlines()), _LINES_MAX.get(path)
    return [f"{path}:1: {count} lines, {most} are allowed"] if most is not None and count > most else []


def _check_columns(path, text):
    if _reason(path, _ANY_WIDTH):
        return []
    wide_tables = _reason(path, _WIDE_TABLES) is not None
    return [
        f"{path}:{number}: {len(line)} columns, {_COLUMNS_MAX} are allowed"
        for number, line in enumerate(_FRONT_MATTER.sub(_blank, text).split("\n"), 1)
        if len(line.rstrip()) > _COLUMNS_MAX and not (wide_tables and line.startswith("|"))
    ]


def without_blocks(text):
    """Without blocks of code and front matter; lines and columns stay."""
    return _FENCE.sub(_blank, _FRONT_MATTER.sub(_blank, text))


def _unquoted(text):
    """Without what Markdown takes as code."""
    return _CODE_SPAN.sub(_blank, without_blocks(text))


def anchors(text):
    """Those that GitHub gives to the headings, and the document's own."""
    found = set(_OWN_ANCHOR.findall(text))
    for heading in _HEADING.findall(_FENCE.sub(_blank, text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = _NO_SLUG.sub("", heading.strip().lower()).replace(" ", "-")
        name, again = slug, 0
        while name in found:
            again += 1
            name = f"{slug}-{again}"
        found.add(name)
    return found


class _Links:
    def __init__(self, tree):
        self.tree = tree
        self.places = set(tree.paths)
        self.places.update(path[:at.start()] for path in tree.paths for at in re.finditer("/", path))
        self.anchors = {}

    def _anchors(self, path):
        if path not in self.anchors:
            self.anchors[path] = anchors(self.tree.text(path))
        return self.anchors[path]

    def wrong(self, path, target):
        """What is wrong with a link of this file, or None."""
        if _SCHEME.match(target):
            return None
        place, _, anchor = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
        if target.startswith("/") or (to != "." and to not in self.places):
            return f"the link to {target!r} leads nowhere"
        if anchor and to.endswith(".md") and anchor not in self._anchors(to):
            return f"{to} has no heading for {'#' + anchor!r}"
        return None

    def check(self, path, text):
        findings = []
        for match in _LINK.finditer(_unquoted(text)):
            wrong = self.wrong(path, match.group(1) or match.group(2))
            if wrong:
                findings.append(f"{path}:{line_of(text, match.start())}: {wrong}")
        return findings


def check(tree):
    links = _Links(tree)
    findings = []
    for path in tree.paths:
        if path.endswith(".md"):
            text = tree.text(path)
            findings += _check_words(path, text) + _check_lines(path, text) + _check_columns(path, text)
            findings += links.check(path, text)
    return findings
