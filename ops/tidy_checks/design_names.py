# SPDX-License-Identifier: Apache-2.0
"""docs/design-names.md, the table from names of the design documents: what it names of this tree is there."""

import re

from .source_tree import line_of
from .statements import rows

_FILE = "docs/design-names.md"
_TABLE = re.compile(r"^# .*?\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"`([^`]*)`")
_TYPE = re.compile(r"\b(?:class|struct|enum class|using)\s+([A-Z]\w*)")
_WORD = re.compile(r"\w+")
_PATH_ENDS = ("", ".hpp", ".cpp")


class _Known:
    """What the product's sources declare and say; tests are no place for a name."""

    def __init__(self, tree):
        self.paths = set(tree.paths)
        self.paths.update(path[:at.start()] for path in tree.paths for at in re.finditer("/", path))
        self.types, self.words, self.functions = set(), set(), set()
        for path in tree.paths:
            if path.startswith("tests/") or not path.endswith((".cpp", ".hpp", ".sql")):
                continue
            self.words.update(_WORD.findall(tree.text(path)))
            if path.endswith(".hpp"):
                self.types.update(_TYPE.findall(tree.code(path)))
                self.functions.update(re.findall(r"\b(\w+)\(", tree.code(path)))

    def has(self, name):
        if "/" in name:
            return any(name + end in self.paths for end in _PATH_ENDS)
        if name.endswith("()"):
            return name[:-2] in self.functions
        if name[:1].isupper():
            return name in self.types
        return all(word in self.words for word in _WORD.findall(name))


def check(tree):
    if _FILE not in tree.paths:
        return []
    text = tree.text(_FILE)
    section = _TABLE.search(text)
    if not section:
        return [f"{_FILE}:1: has no title"]
    known = _Known(tree)
    findings, seen = [], set()
    for offset, cells in rows(section.group(1)):
        where = f"{_FILE}:{line_of(text, section.start(1) + offset)}"
        if len(cells) != 2 or not all(cells):
            findings.append(f"{where}: not a name there and its place here")
        findings += [f"{where}: there is no {name!r}" for name in _NAME.findall(cells[-1])
                     if not known.has(name)]
        for name in cells[0].split(", "):
            if name in seen:
                findings.append(f"{where}: {name!r} stands there twice")
            seen.add(name)
    if not seen:
        findings.append(f"{_FILE}:{line_of(text, section.start())}: has no names")
    return findings
