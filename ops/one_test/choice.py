# SPDX-License-Identifier: Apache-2.0
"""Which tests a name means. Each way of finding is tried in turn; the first that finds something decides."""

import dataclasses
import difflib
import functools
import itertools
import os

from .cases import gtest_filter
from .catalog import SELF_RUNNING

_NEAREST = 6
_ENDS = (".cpp", ".hpp", ".sql", ".py", ".sh")
_ELSEWHERE = {"tests/chaos": "ops/chaos plays it (ops/chaos --help)",
              "tests/simulation/mutants.hpp": "ops/simulate --mutants tries it",
              "tests/statements": "ops/tidy and ops/hunt statements check it"}


@dataclasses.dataclass(frozen=True)
class Run:
    """One thing to run. `test` is a Program, a Script, or a folder that runs itself."""

    test: object
    only: str | None = None  # --gtest_filter of a program
    cases: tuple = ()  # names for a script or a folder

    @property
    def name(self):
        return self.test if isinstance(self.test, str) else self.test.name


def _mirrored(folder):
    return folder if folder.startswith("tests/") else "tests/" + folder


def _folders_above(path):
    """The nearest first, and never all of the tests."""
    while (path := os.path.dirname(path)) not in ("", "tests"):
        yield path


def _is_slow(run):
    """Whether it needs a server; the others go first."""
    return isinstance(run.test, str) or run.test.label != "quick"


class NotFound(Exception):
    """Says what wasn't found, and what is near."""


class Finder:
    """find(name) answers (how it was found, runs)."""

    def __init__(self, catalog):
        self.catalog = catalog

    def find(self, name):
        found = self._found(name)
        if not found:
            raise NotFound(self._nearest(name))
        return found

    def _found(self, name):
        ways = (self._program, self._path, self._file, self._case, self._domain_case, self._folder, self._listed_case,
                self._file_above, self._folder_above)
        return next((found for way in ways if (found := way(name))), None)

    def _program(self, name):
        program, _, only = name.partition(":")
        if only and program in self.catalog.programs:
            return f"the program {program}, with a filter", [Run(self.catalog.programs[program], only)]
        test = self.catalog.programs.get(name) or self.catalog.scripts.get(name)
        return (f"a test of {test.folder}", [Run(test)]) if test else None

    def _path(self, name):
        """A file or folder of the tree, of the tests or of what they test."""
        path = os.path.normpath(os.path.relpath(os.path.join(self.catalog.root, name), self.catalog.root))
        for place in (path, "tests/" + path):
            for start, instead in _ELSEWHERE.items():
                if place == start or place.startswith(start + "/"):
                    raise NotFound(f"{name}: not run by itself, {instead}")
            if place in self.catalog.paths and (found := self._of_file(place) or self._above(place)):
                return found
            if place in self.catalog.folders and (found := self._of_folder(place) or self._above(place)):
                return found
        return None

    @functools.cache
    def _of_folder(self, folder):
        inside = _mirrored(folder)
        case = inside.removeprefix("tests/domain/cases/").split("/")[0]
        if case in self.catalog.domain_cases:
            return f"the domain case {case}", [Run("tests/domain", cases=(case,))]
        runs = [Run(test) for test in self.catalog.tests() if (test.folder + "/").startswith(inside + "/")]
        runs += self._of_programs_elsewhere(inside)
        runs += [Run(other) for other in SELF_RUNNING if (other + "/").startswith(inside + "/")]
        return (f"the tests of {inside}", sorted(runs, key=_is_slow)) if runs else None

    def _of_programs_elsewhere(self, inside):
        """The cases that stand below a folder and belong to programs of another one."""
        runs = []
        for program in self.catalog.programs.values():
            below = [path for path in program.sources if path.startswith(inside + "/")]
            cases = [case for path in below for case in self.catalog.cases(path)]
            if cases and not (program.folder + "/").startswith(inside + "/"):
                runs.append(self._of_program(program, cases))
        return runs

    def _above(self, path):
        """The tests of the nearest folder above that has some; of those, its own without the folders below, if it has any."""
        for folder in _folders_above(path):
            if found := self._of_folder(folder):
                own = [run for run in found[1] if not isinstance(run.test, str) and run.test.folder == _mirrored(folder)]
                some = ", without those of the folders below" if own and own != found[1] else ""
                return f"{path} has no test of its own name or folder: {found[0]}{some}", own or found[1]
        return None

    def _of_file(self, path):
        return self._of_test_file(path) or self._of_tested_file(path)

    def _of_test_file(self, path):
        script = self.catalog.script_of(path)
        if script:
            return f"the script {path}", [Run(script)]
        folder = os.path.dirname(path)
        if folder in SELF_RUNNING and path.endswith("_test.py"):
            return f"the cases of {path}", [Run(folder, cases=tuple(self._cases_of_module(path)))]
        cases = self.catalog.cases(path)
        runs = [self._of_program(program, cases) for program in self.catalog.programs_of(path)]
        return (f"{len(cases)} cases of {path}" if cases else f"programs with {path}", runs) if runs else None

    def _of_program(self, program, cases):
        return Run(program, gtest_filter(cases, self.catalog.program_cases(program)) if cases else None)

    def _cases_of_module(self, path):
        text = self.catalog.tree.text(path)
        return [name for name in self.catalog.listed_cases(os.path.dirname(path)) if name in text] or ["no such case"]

    def _of_tested_file(self, path):
        """The test of the name of a file of the product, beside its mirror or above that; else all of its folder."""
        stem = os.path.splitext(os.path.basename(path))[0]
        for mirror in (f"tests/{folder}/{stem}_test{end}" for folder in _folders_above(path) for end in (".cpp", ".py")):
            if mirror in self.catalog.paths and (found := self._of_test_file(mirror)):
                return f"{path}: {found[0]}", found[1]
        found = self._of_folder(os.path.dirname(path)) if "/" in path else None
        return (f"{path} has no test of its own name: {found[0]}", found[1]) if found else None

    def _file(self, name):
        """A file by its name alone, with or without its end and `_test`; one of the tests comes first."""
        return self._only_file(name, self._of_file)

    def _file_above(self, name):
        return self._only_file(name, self._above)

    def _only_file(self, name, answer_of):
        names = {name, *(name + end for end in _ENDS), *(f"{name}_test{end}" for end in _ENDS)}
        named = [p for p in self.catalog.paths
                 if os.path.basename(p) in names and p.endswith(_ENDS) and not p.startswith("tests/chaos/")]
        of_tests = [p for p in named if p.startswith("tests/") and (p.endswith("_test.py") or self.catalog.cases(p))]
        found = {}
        for path in of_tests or named:
            if answer := answer_of(path):
                found.setdefault(tuple(answer[1]), (path, answer))
        if len(found) > 1:
            raise NotFound(f"{name}: there are several; name one: " + ", ".join(sorted(p for p, _ in found.values())))
        return next(iter(found.values()))[1] if found else None

    def _case(self, name):
        """Cases by Suite, Suite.Name, or either with * in it."""
        if not name.strip("*?."):
            return None
        runs = []
        for program in self.catalog.programs.values():
            meant = [c for c in self.catalog.program_cases(program) if c.is_meant(name)]
            if meant:
                runs.append(self._of_program(program, meant))
        for script in self.catalog.scripts.values():
            meant = [c.full_name for c in self.catalog.cases(script.path) if c.is_meant(name)]
            if meant:
                runs.append(Run(script, cases=tuple(meant)))
        return (f"cases of {', '.join(run.name for run in runs)}", runs) if runs else None

    def _domain_case(self, name):
        if name not in self.catalog.domain_cases:
            return None
        return f"the domain case {name}", [Run("tests/domain", cases=(name,))]

    def _folder(self, name):
        """A folder by its last names."""
        return self._only_folder(name, self._of_folder)

    def _folder_above(self, name):
        return self._only_folder(name, self._above)

    def _only_folder(self, name, answer_of):
        found = {}
        for folder in sorted(self.catalog.folders):
            if folder.endswith("/" + name.strip("/")) and (answer := answer_of(folder)):
                found.setdefault(tuple(answer[1]), (folder, answer))
        if len(found) > 1:
            raise NotFound(f"{name}: several folders are called so; name one: " + ", ".join(sorted(f for f, _ in found.values())))
        return next(iter(found.values()))[1] if found else None

    def _listed_case(self, name):
        """A part of the name of a case of tests/integration or tests/mcp."""
        runs = []
        for folder in SELF_RUNNING:
            meant = [case for case in self.catalog.listed_cases(folder) if name in case]
            if meant and folder != "tests/domain":
                runs.append(Run(folder, cases=tuple(meant)))
        return (f"{sum(len(run.cases) for run in runs)} cases whose name has {name!r}", runs) if runs else None

    def _is_found(self, name):
        try:
            return bool(self._found(name))
        except NotFound:
            return False

    def names(self):
        """All that a person could mean, for the nearest ones."""
        yield from (test.name for test in self.catalog.tests())
        yield from (f for f in self.catalog.folders if f.startswith("tests/"))
        for test in self.catalog.tests():
            paths = test.sources if hasattr(test, "sources") else (test.path,)
            for path in paths:
                yield os.path.splitext(os.path.basename(path))[0]
                for case in self.catalog.cases(path):
                    yield case.suite
                    yield case.full_name
        for folder in SELF_RUNNING:
            yield from self.catalog.listed_cases(folder)

    def _nearest(self, name):
        names = list(dict.fromkeys(self.names()))
        lower = name.lower()
        near = [n for n in names if len(lower) > 2 and lower in n.lower()]
        near += [n for n in difflib.get_close_matches(name, names, _NEAREST, 0.5) if n not in near]
        near = list(itertools.islice(filter(self._is_found, near), _NEAREST))
        hint = f"; near it: {', '.join(near)}" if near else ""
        return f"{name}: no such test{hint}; ops/test --list tells all"
