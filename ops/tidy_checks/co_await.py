# SPDX-License-Identifier: Apache-2.0
"""g++ 12 destroys temporaries twice in some co_await expressions: no aggregate and no lambda may be
built as an argument inside one. Name it first, then std::move it."""

import re

from .source_tree import line_of

_CO_AWAIT = re.compile(r"\bco_await\b")
_OPENS = "([{"
_CLOSES = ")]}"


def _braced_argument(code, start):
    """Position of a brace inside the parentheses of the operand that begins at `start`, or -1."""
    depth = 0
    for position in range(start, len(code)):
        char = code[position]
        if char == "{":
            return position if depth > 0 else -1
        if char in _OPENS:
            depth += 1
        elif char in _CLOSES:
            depth -= 1
            if depth < 0:
                return -1
        elif char == ";" and depth == 0:
            return -1
    return -1


def check(tree):
    findings = []
    for path in tree.cpp():
        code = tree.code(path)
        for match in _CO_AWAIT.finditer(code):
            if _braced_argument(code, match.end()) >= 0:
                findings.append(
                    f"{path}:{line_of(code, match.start())}: an argument of this co_await is built in it:"
                    " name it first"
                )
    return findings
