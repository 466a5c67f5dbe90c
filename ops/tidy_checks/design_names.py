# SPDX-License-Identifier: Apache-2.0
"""docs/design-names.md, the list of the design documents' names: what it names of this tree is there."""

import re

from .source_tree import line_of

_FILE = "docs/design-names.md"
# "- **names there**: their place here", over one line or more.
_ENTRY = re.compile(r"^- (?:\*\*([^*]*)\*\*:\s+)?(.*?)(?=^- |^#|\Z)", re.MULTILINE | re.DOTALL)
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


def entries(text):
    """(offset, names there, their place here) of each entry; no names where it isn't of the form."""
    for match in _ENTRY.finditer(text):
        yield match.start(), " ".join((match.group(1) or "").split()), match.group(2).strip()


def check(tree):
    if _FILE not in tree.paths:
        return []
    text = tree.text(_FILE)
    known = _Known(tree)
    findings, seen = [], set()
    for offset, names, here in entries(text):
        where = f"{_FILE}:{line_of(text, offset)}"
        if not names or not here:
            findings.append(f"{where}: not a name there and its place here")
            continue
        findings += [f"{where}: there is no {name!r}" for name in _NAME.findall(here) if not known.has(name)]
        for name in names.split(", "):
            if name in seen:
                findings.append(f"{where}: {name!r} stands there twice")
            seen.add(name)
    if not seen and not findings:
        findings.append(f"{_FILE}:1: has no names")
    return findings
