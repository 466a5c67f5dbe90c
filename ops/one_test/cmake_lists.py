# SPDX-License-Identifier: Apache-2.0
"""What the CMakeLists.txt of the tests register, read as text: a tree needs no build to be searched."""

import dataclasses
import os
import re

# A call and its arguments, which may have parentheses of their own, one level deep.
_CALL = re.compile(r"^[ \t]*(\w+)[ \t]*\(((?:[^()]|\([^()]*\))*)\)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")
_KEYWORDS = {"SERVERS", "SOURCES", "DEPENDS", "TIMEOUT"}
_TARGET_FILE = re.compile(r"\$<TARGET_FILE:([\w-]+)>")


@dataclasses.dataclass(frozen=True)
class Program:
    """A GoogleTest program. Paths are from the root of the tree."""

    name: str
    folder: str
    label: str  # quick, server or postgres
    sources: tuple = ()  # its own ones and those of the libraries of tests that it names
    servers: tuple = ()  # of the stack
    needs = ()


@dataclasses.dataclass(frozen=True)
class Script:
    """A test that is a script, as `add_test` runs it."""

    name: str
    folder: str
    path: str
    command: tuple  # a built program stands in it as $<TARGET_FILE:NAME>
    label = "quick"
    servers = ()

    @property
    def needs(self):
        """The programs that are built for it."""
        return tuple(name for word in self.command for name in _TARGET_FILE.findall(word))

    def command_in(self, build):
        return [_TARGET_FILE.sub(lambda m: os.path.join(build, m.group(1)), word) for word in self.command]


def _calls(text):
    return [(m.group(1), m.group(2).split()) for m in _CALL.finditer(_COMMENT.sub("", text))]


def _by_keyword(words):
    """The words behind each keyword; those before the first one are behind ''."""
    found, key = {"": []}, ""
    for word in words:
        if word in _KEYWORDS:
            key = word
            found.setdefault(key, [])
        else:
            found[key].append(word)
    return found


class CMakeLists:
    """`programs`, `scripts` and `executables` (the names of programs that are no tests) of a tree."""

    def __init__(self, root, paths):
        self.root = root
        self.programs, self.scripts, self.executables = {}, {}, set()
        self._libraries = {}  # name -> sources
        self._depends = {}  # program -> the libraries that it names
        files = [p for p in paths if os.path.basename(p) == "CMakeLists.txt"]
        for path in files:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                self._read(os.path.dirname(path), _calls(file.read()))
        for name, program in self.programs.items():
            of_libraries = [s for library in self._depends[name] for s in self._libraries.get(library, ())]
            self.programs[name] = dataclasses.replace(program, sources=(*program.sources, *of_libraries))

    def _read(self, folder, calls):
        for call, words in calls:
            if not words or "${" in words[0]:
                continue
            if call == "ba_test":
                self._add_program(folder, words)
            elif call in ("ba_library", "add_library") and folder.startswith("tests/"):
                self._libraries[words[0]] = self._sources(folder, words[1:])
            elif call == "add_executable":
                self.executables.add(words[0])
            elif call == "add_test" and words[0] == "NAME" and "COMMAND" in words:
                self._add_script(folder, words)
            elif call == "set_tests_properties" and "LABELS" in words:
                self._set_label(words[: words.index("PROPERTIES")], words[words.index("LABELS") + 1])

    def _add_program(self, folder, words):
        parts = _by_keyword(words)
        name = parts[""][0]
        label = "server" if "SERVERS" in parts else "quick"
        servers = tuple(server for server in parts.get("SERVERS", ()) if server != "own")
        self.programs[name] = Program(name, folder, label, self._sources(folder, parts.get("SOURCES", [])), servers)
        self._depends[name] = parts.get("DEPENDS", [])

    def _add_script(self, folder, words):
        command = tuple(self._resolved(folder, word) for word in words[words.index("COMMAND") + 1:])
        script = next((w for w in command if w.startswith(self.root) and w.endswith((".py", ".sh"))), None)
        if script:
            self.scripts[words[1]] = Script(words[1], folder, os.path.relpath(script, self.root), command)

    def _set_label(self, names, label):
        for name in names:
            if name in self.programs:
                self.programs[name] = dataclasses.replace(self.programs[name], label=label)

    def _resolved(self, folder, word):
        return (word.replace("${CMAKE_CURRENT_SOURCE_DIR}", os.path.join(self.root, folder))
                .replace("${CMAKE_SOURCE_DIR}", self.root))

    def _sources(self, folder, words):
        paths = (os.path.join(self.root, folder, self._resolved(folder, w)) for w in words
                 if w.endswith((".cpp", ".hpp")))
        return tuple(os.path.relpath(path, self.root) for path in paths if "${" not in path)
