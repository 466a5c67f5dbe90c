#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""batches.py ROOT FOLDER SIZE SOURCE...: groups sources of one target for the compiler.

Writes FOLDER/batch_N.cpp, each of which includes up to SIZE sources by their path from ROOT, so that a
header is read once for all of them. Prints the batches' paths, and the sources that stay alone, separated
by semicolons. A name that is private to a source (in its anonymous namespace, or static) doesn't occur in
another source of its batch, so no name clashes. Headers aren't looked at: inline code of a header that a
later source brings in could mean a private name of an earlier one. So such code calls nothing by a name that
a source may give to something of its own.
"""
import os
import re
import sys

COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'', re.S)
WORD = re.compile(r'[A-Za-z_]\w*')
# What would reach into the files behind it, too.
REACHES_ON = re.compile(r'^\s*#\s*(?:define|undef|pragma)|^using namespace (?!std::\w*literals)', re.M)
TYPE = re.compile(r'(?:class|struct|union|enum(?: class)?|concept|using|namespace)\s+(?:alignas\(.*?\)\s*)?(\w+)')
NO_NAMES = {'TEST', 'TEST_F', 'TEST_P', 'INSTANTIATE_TEST_SUITE_P', 'MATCHER', 'MATCHER_P', 'static_assert'}


def without_angles(text):
    """`text` without what stands between < and >."""
    before = None
    while before != text:
        before, text = text, re.sub(r'<[^<>;{}]*>', ' ', text)
    return text


def declared(statement):
    """The name that a statement of a namespace declares, if any."""
    statement = re.sub(r'\[\[.*?\]\]|\btemplate\b', ' ', without_angles(statement)).strip()
    found = TYPE.match(statement)
    if found:
        return found.group(1)
    head = re.split(r'[=({;\[]', statement, maxsplit=1)[0]
    words = WORD.findall(head)
    if not words or words[-1] in NO_NAMES or 'operator' in words:
        return None
    return words[-1]


def statements(lines):
    """What begins at the left edge, with the lines that follow up to its brace or semicolon."""
    begun = ''
    for line in lines:
        if not begun and (not line or line[0] in ' })#:'):
            continue
        begun += line + '\n'
        if re.search(r'[;{=]', line):
            yield begun
            begun = ''


def private_names(code):
    """Names of the anonymous namespaces of a source (closed by a brace at the left edge), and static ones."""
    names, inside = set(), []
    depth = None
    for line in code.split('\n'):
        if depth is None and re.match(r'namespace \{', line):
            depth = 0
        elif depth is not None and re.match(r'\}(?!;)\s*$', line) and depth == 0:
            depth = None
        elif depth is not None:
            inside.append(line)
            depth += line.count('{') - line.count('}')
        elif line.startswith('static '):
            inside.append(line.removeprefix('static '))
    for statement in statements(inside):
        name = declared(statement)
        if name:
            names.add(name)
    return names


class Source:
    def __init__(self, root, path):
        self.path = os.path.relpath(path, root)
        with open(path, encoding='utf-8') as file:
            text = file.read()
        code = COMMENT_OR_TEXT.sub(lambda found: '""' if found.group()[0] == '"' else ' ', text)
        self.alone = bool(REACHES_ON.search(code))
        self.names = private_names(code)
        # An alias that means the same in two files may stand in both.
        self.aliases = {name: ' '.join(what.split()) for name, what in
                        re.findall(r'^using (\w+) =([^;]*);', code, re.M)}
        self.aliases |= {what.rpartition('::')[2]: what
                         for what in re.findall(r'^using ([\w:]+::\w+);', code, re.M)}
        self.names -= set(self.aliases)
        self.words = set(WORD.findall(code))

    def bears(self, other):
        if self.names & other.words or other.names & self.words:
            return False
        return self.bears_aliases(other) and other.bears_aliases(self)

    def bears_aliases(self, other):
        return all(other.aliases[name] == what if name in other.aliases else name not in other.words
                   for name, what in self.aliases.items())


def batches_of(sources, size):
    batches = []
    for source in sources:
        for batch in batches:
            if len(batch) < size and all(source.bears(other) for other in batch):
                batch.append(source)
                break
        else:
            batches.append([source])
    return batches


def write(path, text):
    """Only a changed file is written: an old one needn't be compiled again."""
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main(root, folder, size, *paths):
    sources = [Source(root, path) for path in paths]
    together = [source for source in sources if not source.alone]
    result = [os.path.join(root, source.path) for source in sources if source.alone]
    for number, batch in enumerate(batches_of(together, int(size))):
        if len(batch) == 1:
            result.append(os.path.join(root, batch[0].path))
            continue
        path = os.path.join(folder, f'batch_{number}.cpp')
        write(path, ''.join(f'#include "{source.path}"\n' for source in batch))
        result.append(path)
    print(';'.join(result), end='')


if __name__ == '__main__':
    main(*sys.argv[1:])
