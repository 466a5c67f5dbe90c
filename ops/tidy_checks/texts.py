# SPDX-License-Identifier: Apache-2.0
"""What no text of the tree may hold, and the licence that each source names."""

import os
import re

from .source_tree import line_of

_SPDX = "SPDX-License-Identifier: Apache-2.0"
_SPDX_LINES = 3
_SOURCES = (".cpp", ".hpp", ".py", ".sh", ".sql", ".proto", ".cmake")

# The words are put together here so that this file doesn't find itself.
_NEVER = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        (r"\b(?:TO" r"DO|FIX" r"ME)\b", "a note to do later: do it, or leave it out"),
        (r"\bDIS" r"ABLED_\w|\bGTEST_" r"SKIP\b|\bunittest\.sk" r"ip|\.skip" r"Test\(",
         "a test that doesn't run"),
        (r"(?<![\w./~-])/(?:ho" r"me/(?!\.\.\.)\w|Us" r"ers/\w|ro" r"ot/|wo" r"rk/)",
         "a path of somebody's machine"),
        (r"^(?:<{7} |>{7} |={7}$)", "a merge that wasn't finished"),
        (r"\|\s*gr" r"ep +-\w*q", "a pipe that is closed early, which fails now and then (use <<<\"$(...)\")"),
    )
)
_NEVER = tuple((re.compile(p.pattern, re.MULTILINE), what) for p, what in _NEVER)


def _needs_licence(tree, path):
    if path.endswith(_SOURCES) or os.path.basename(path) == "CMakeLists.txt":
        return True
    return tree.text(path).startswith("#!")


def check(tree):
    findings = []
    for path in tree.paths:
        text = tree.text(path)
        if _needs_licence(tree, path) and _SPDX not in "\n".join(text.split("\n", _SPDX_LINES)[:_SPDX_LINES]):
            findings.append(f"{path}:1: no line '{_SPDX}' at the top")
        for pattern, what in _NEVER:
            for match in pattern.finditer(text):
                findings.append(f"{path}:{line_of(text, match.start())}: {match.group()!r} is {what}")
    return findings
