#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""batches.py TARGETS PLAN: groups the sources of each target for the compiler.

TARGETS is a file of lines. The first has the tree's root and the size of a batch, each other one a target,
the folder of its batches and its sources; all are separated by semicolons. PLAN is written for CMake, as
`ba_batched(TARGET FILE...)`, and beside it PLAN.d, which names what was read. What is as it was is not
written again.

A batch includes the headers of its sources, each once, and then its sources. A source of fewer than 100
lines counts one, of fewer than 200 two, and so on; a batch has at most the given size. No name clashes: a
name that is private to a source (in its anonymous namespace, or static) occurs in no other source of its
batch, and no header of theirs declares it in a namespace. Since the headers come first, none of them sees
a private name.
"""
import os
import re
import sys

COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'', re.S)
WORD = re.compile(r'[A-Za-z_]\w*')
# A word that may mean a private name: not what follows `.`, `->`, `std::`, or a class and `::`.
LOOKED_UP = re.compile(r'(?:(?:\.(?<!\.\.)|->|\bstd::|\b[A-Z]\w*::)[A-Za-z_]\w*)|\b([A-Za-z_]\w*)')
NAMESPACE = re.compile(r'(?:inline )?namespace ([\w:]*) ?\{')
# What would reach into the files behind it, too; and what may include a header or not.
REACHES_ON = re.compile(r'^\s*#\s*(?:define|undef|pragma|if)|^using namespace (?!std::\w*literals)', re.M)
INCLUDE = re.compile(r'\s*#\s*include\s*([<"].+[>"])')
LINES_OF_ONE = 100
TYPE = re.compile(r'(?:class|struct|union|enum(?: class)?|concept|using|namespace)\s+(?:alignas\(.*?\)\s*)?(\w+)')
USED = re.compile(r'using (?:\w+::)+(\w+);')
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
    found = USED.match(statement) or TYPE.match(statement)
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


def by_namespace(code):
    """The lines of a file by the namespaces that they stand in, of which an anonymous one is ''."""
    lines, opened, depth = {}, [], 0
    for line in code.split('\n'):
        found = NAMESPACE.match(line)
        if found:
            opened.append((depth, found.group(1)))
        else:
            lines.setdefault(tuple(name for _, name in opened), []).append(line)
        depth += line.count('{') - line.count('}')
        while opened and depth <= opened[-1][0]:
            opened.pop()
    return lines


def declared_names(code, private):
    """What a file declares for all, or privately (in an anonymous namespace, or static): ba::name."""
    names = set()
    for spaces, lines in by_namespace(code).items():
        if ('' in spaces) != private:
            lines = [line.removeprefix('static ') for line in lines if private and line.startswith('static ')]
        outer = '::'.join([*filter(None, spaces), ''])
        names |= {outer + name for name in map(declared, statements(lines)) if name}
    return names


def without_texts(text):
    return COMMENT_OR_TEXT.sub(lambda found: '""' if found.group()[0] == '"' else ' ', text)


def includes(text):
    """What a file includes before its first line of code; and whether it includes headers later, too."""
    first, later, code_begun = [], False, False
    for line in re.sub(r'/\*.*?\*/', ' ', text, flags=re.S).split('\n'):
        found = INCLUDE.match(line)
        if not found:
            code_begun = code_begun or bool(line.strip()) and not line.lstrip().startswith(('//', '#'))
        elif not code_begun:
            first.append(found.group(1))
        elif not found.group(1).endswith('.inc"'):
            later = True
    return first, later


class Headers:
    """Those of the tree, each read once."""

    def __init__(self, root):
        self.root = root
        self.read = {}

    def declared(self, paths):
        """Header by header, the names that `paths` and what they include declare in namespaces."""
        found, left = {}, list(paths)
        while left:
            path = left.pop()
            if path not in found:
                found[path], further = self._one(path)
                left += further
        return found

    def _one(self, path):
        if path not in self.read:
            self.read[path] = self._parsed(os.path.join(self.root, path))
        return self.read[path]

    @staticmethod
    def _parsed(path):
        if not os.path.exists(path):
            return set(), []  # One that is generated, or not ours.
        with open(path, encoding='utf-8') as file:
            text = file.read()
        names = declared_names(without_texts(text), private=False)
        return names, [what[1:-1] for what in includes(text)[0] if what[0] == '"']


class Source:
    def __init__(self, headers, path):
        self.path = os.path.relpath(path, headers.root)
        with open(path, encoding='utf-8') as file:
            text = file.read()
        self.weight = 1 + text.count('\n') // LINES_OF_ONE
        self.includes, includes_later = includes(text)
        self.headers = headers.declared(what[1:-1] for what in self.includes if what[0] == '"')
        code = without_texts(text)
        self.alone = includes_later or bool(REACHES_ON.search(code))
        own = declared_names(code, private=True)
        # An alias that means the same in two files may stand in both.
        self.aliases = {name: ' '.join(what.split()) for name, what in
                        re.findall(r'^using (\w+) =([^;]*);', code, re.M)}
        self.aliases |= {what.rpartition('::')[2]: what
                         for what in re.findall(r'^using ([\w:]+::\w+);', code, re.M)}
        self.names = {name.rpartition('::')[2] for name in own} - set(self.aliases)
        self.own = own | {name for name in declared_names(code, private=False)
                          if name.rpartition('::')[2] in self.aliases}
        self.words = set(LOOKED_UP.findall(code)) - {''}

    def bears(self, other):
        return all(one.bears_aliases(another) and not one.names & another.words
                   and not one.meets_a_header_of(another)
                   for one, another in ((self, other), (other, self)))

    def meets_a_header_of(self, other):
        return any(self.own & names for path, names in other.headers.items() if path not in self.headers)

    def bears_aliases(self, other):
        return all(other.aliases[name] == what if name in other.aliases else name not in other.words
                   for name, what in self.aliases.items())


def batches_of(sources, size):
    batches = []
    for source in sources:
        for batch in batches:
            if (sum(other.weight for other in batch) + source.weight <= size
                    and all(source.bears(other) for other in batch)):
                batch.append(source)
                break
        else:
            batches.append([source])
    return batches


def text_of(batch):
    """First the headers of all, in the order in which the sources have them."""
    headers = dict.fromkeys(header for source in batch for header in source.includes)
    lines = [*headers, *(f'"{source.path}"' for source in batch)]
    return ''.join(f'#include {line}\n' for line in lines)


def write(path, text):
    """Only a changed file is written: an old one needn't be compiled again."""
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def compiled(sources, folder, size):
    """What is compiled for the sources of a target; writes its batches."""
    together = [source for source in sources if not source.alone]
    result = [source.path for source in sources if source.alone]
    for number, batch in enumerate(batches_of(together, size)):
        if len(batch) == 1:
            result.append(batch[0].path)
            continue
        path = os.path.join(folder, f'batch_{number}.cpp')
        write(path, text_of(batch))
        result.append(path)
    return result


def main(targets, plan):
    with open(targets, encoding='utf-8') as file:
        first, *lines = file.read().splitlines()
    root, size = first.split(';')
    headers = Headers(root)
    calls, read = [], set()
    for line in lines:
        target, folder, *paths = line.split(';')
        sources = [Source(headers, path) for path in paths]
        files = [os.path.join(root, path) for path in compiled(sources, folder, int(size))]
        calls.append(f'ba_batched({" ".join([target, *files])})\n')
        read.update(paths)
    read.update(os.path.join(root, path) for path in headers.read)
    write(plan, ''.join(calls))
    write(plan + '.d', f'{plan}: {" ".join(sorted(path for path in read if os.path.exists(path)))}\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
