# SPDX-License-Identifier: Apache-2.0
"""Prints pipeline/text/token/character_ranges.inc from the Unicode Character Database, by the Python package
unicodedata2 of the version below."""

import sys

import unicodedata2

VERSION = "16.0.0"  # that of the engine whose counts are to be met (tiktoken 0.14)
KINDS = {"Lu": "Upper", "Lt": "Upper", "Ll": "Lower", "Lm": "Letter", "Lo": "Letter", "Mn": "Mark", "Mc": "Mark",
         "Me": "Mark", "Nd": "Number", "Nl": "Number", "No": "Number"}
# The property White_Space, which Python's tables don't have.
SPACES = {*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}


def kind(code_point):
    if code_point in (0x0A, 0x0D):
        return "LineEnd"
    if code_point in SPACES:
        return "Space"
    return KINDS.get(unicodedata2.category(chr(code_point)))


def main():
    if unicodedata2.unidata_version != VERSION:
        sys.exit(f"unicodedata2 {VERSION} is needed")
    first = None
    print("// SPDX-License-Identifier: Unicode-3.0")
    print(f"// Unicode {VERSION}, made by ops/tokens/character_classes.py: first, last, class.")
    for code_point in range(0x110001):
        now = kind(code_point) if code_point < 0x110000 else None
        if first is not None and now != before:
            print(f"{{0x{first:X}, 0x{code_point - 1:X}, C::{before}}},")
            first = None
        if first is None and now is not None:
            first = code_point
        before = now


main()
