# SPDX-License-Identifier: Apache-2.0
"""What Markdown names in `…` is there: paths from a top-level folder, and the files of a folder's README."""

import os
import re

from .documents import without_blocks
from .source_tree import line_of
from .statements import rows

# Documents that tell of other versions of the tree.
_OF_OTHER_TIMES = ("CHANGELOG.md",)
# What looks like a path of the tree, and is none. Each with its reason.
NOT_OURS = {
    "config/token_encoders.yaml": "looked for in the folder in which the program is started",
    "config/token_encoders.yml": "likewise",
    "tests/fixtures": "a folder of the repository from which the TOON cases are",
}
# A document whose paths are also below a folder.
_BELOW = {"config/LIMITS.md": "tests"}
# The first words of a table's head, above a column of files.
_FILES = re.compile(r"(?:file|folder|part|script|suite)\b(?:.*`(\*\.?\w+\.\w+)`)?")

_SPAN = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
_WORD = re.compile(r"[\w.][\w./*…<>-]*")
# In a name: any letters, for `*`, a word in capitals, or one in angle brackets; `…` is any folders, too.
_ANY = re.compile(r"(\*|<[^>]*>|(?<![a-z])[A-Z]{3,}(?![a-z]))|(…)")


class _Places:
    def __init__(self, tree):
        self.folders = {path[:at.start()] for path in tree.paths for at in re.finditer("/", path)}
        self.all = self.folders.union(tree.paths)
        self.lines = "\n".join(sorted(self.all))
        self.bare = {path[:at.start()] for path in self.all for at in re.finditer(r"\.(?!.*/)", path)}
        self.known = {}

    def has(self, name):
        """As it stands, without its extension, or with parts that stand for any name."""
        name = os.path.normpath(name)
        if name not in self.known:
            self.known[name] = name in self.all or name in self.bare or self._is_like(name)
        return self.known[name]

    def _is_like(self, name):
        pattern, end = "", 0
        if not _ANY.search(name):
            return False
        for match in _ANY.finditer(name):
            pattern += re.escape(name[end:match.start()]) + (r"[^/\n]*" if match.group(1) else r"[^\n]*")
            end = match.end()
        pattern += re.escape(name[end:])
        return re.search(rf"^{pattern}(?:\.[^/\n]+)?$", self.lines, re.MULTILINE) is not None


def _check_paths(places, path, text):
    findings = []
    below = ("", _BELOW[path]) if path in _BELOW else ("",)
    for span in _SPAN.finditer(without_blocks(text)):
        for word in span.group(1).split():
            word = word.strip(",;:()[]\"'")
            bases = [base for base in below if os.path.join(base, word.split("/")[0]) in places.folders]
            if "/" not in word or not bases or not _WORD.fullmatch(word) or word in NOT_OURS:
                continue
            if not any(places.has(os.path.join(base, word)) for base in bases):
                findings.append(f"{path}:{line_of(text, span.start())}: there is no {word}")
    return findings


def _check_files(places, path, text):
    """The first column of a README's tables of files."""
    folder = os.path.dirname(path)
    findings = []
    for offset, cells, head in rows(text):
        files = _FILES.match(head[0])
        for name in _SPAN.findall(cells[0]) if files else ():
            name = (files.group(1) or "*").replace("*", name, 1)
            if not places.has(os.path.join(folder, name)) and not places.has(name):
                findings.append(f"{path}:{line_of(text, offset)}: there is no {name} in this folder")
    return findings


def check(tree):
    places = _Places(tree)
    findings = []
    for path in tree.paths:
        if path.endswith(".md") and path not in _OF_OTHER_TIMES:
            findings += _check_paths(places, path, tree.text(path))
        if path.endswith("/README.md"):
            findings += _check_files(places, path, tree.text(path))
    return findings
