# SPDX-License-Identifier: Apache-2.0
"""The command lines of the documents: what stands in blocks that are marked `sh`, as words."""

import re
import shlex

_FENCE = re.compile(r"^([ ]*)(```+|~~~+)[ ]*(\w*)[^\n]*\n(.*?)^[ ]*\2[ \t]*$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:(?<=\n\n)|\A)((?: {4}[^\n]*\n)+)")
_LIKE_A_COMMAND = re.compile(r"\s*(\$ |\"?\$\(|eval |\./|(ops|build|tests)/\S|(ba-agent|cmake|ctest|psql) )")
_OPERATORS = ";&|"
TEST_DATA = ("tests/worker/tools/skills/data/", "ops/demo.d/skills/", "tests/domain/skills/")


def documents(tree):
    return [path for path in tree.paths if path.endswith(".md") and not path.startswith(TEST_DATA)]


def _words(text):
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    return list(lexer)


def _logical_lines(block):
    """Lines as a shell takes them: those that end in a backslash, or within quotes, go on."""
    held = ""
    for line in block.split("\n"):
        held = f"{held}\n{line}" if held else line
        if held.endswith("\\"):
            held = held[:-1].rstrip()
            held += " "
            continue
        try:
            words = _words(held)
        except ValueError:  # an open quote
            continue
        if words:
            yield held.strip(), words
        held = ""
    if held.strip():
        raise ValueError(f"no end of: {held}")


def _commands(words):
    """The simple commands of a line."""
    command = []
    for word in words:
        if word and not word.strip(_OPERATORS):
            if command:
                yield command
            command = []
        else:
            command.append(word)
    if command:
        yield command


def commands(text):
    """(line as it stands, words) of each command in blocks of `sh`."""
    for _, _, language, block in _FENCE.findall(text):
        if language in ("sh", "bash", "shell"):
            for line, words in _logical_lines(block):
                for command in _commands(words):
                    yield line, command


def unmarked(text):
    """First lines of blocks that look like commands and aren't marked `sh`."""
    found = [block.split("\n")[0] for _, _, language, block in _FENCE.findall(text)
             if not language and _LIKE_A_COMMAND.match(block)]
    rest = _FENCE.sub("", text)
    return found + [block.split("\n")[0] for block in _INDENTED.findall(rest) if _LIKE_A_COMMAND.match(block)]
