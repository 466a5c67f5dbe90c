# SPDX-License-Identifier: Apache-2.0
"""Every test of a tree, by name: programs, scripts, cases and the folders that run themselves."""

import functools
import os
import subprocess
import sys

from tidy_checks.source_tree import SourceTree

from .cases import cases_of
from .cmake_lists import CMakeLists

# Folders whose program `run` takes the names of cases, and whether it needs a stack.
SELF_RUNNING = {"tests/domain": True, "tests/integration": True, "tests/mcp": False}
_LIST_SECONDS = 120


class Catalog:
    """Reads what it is asked for, once."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.tree = SourceTree(self.root)
        lists = CMakeLists(self.root, self.tree.paths)
        self.programs, self.scripts, self.executables = lists.programs, lists.scripts, lists.executables

    @functools.cache
    def cases(self, path):
        """Those of one file."""
        return cases_of(path, self.tree.text(path)) if path in self.paths else []

    @functools.cached_property
    def paths(self):
        return set(self.tree.paths)

    @functools.cached_property
    def folders(self):
        return {path[:at] for path in self.paths for at, letter in enumerate(path) if letter == "/"}

    def tests(self):
        return [*self.programs.values(), *self.scripts.values()]

    def program_cases(self, program):
        return [case for path in program.sources for case in self.cases(path)]

    def script_of(self, path):
        return next((script for script in self.scripts.values() if script.path == path), None)

    def programs_of(self, path):
        return [program for program in self.programs.values() if path in program.sources]

    @functools.cached_property
    def domain_cases(self):
        start = "tests/domain/cases/"
        return sorted({p[len(start):].split("/")[0] for p in self.paths if p.startswith(start)})

    @functools.cache
    def listed_cases(self, folder):
        """Names of the cases of a folder that runs itself, as its program tells them."""
        if folder == "tests/domain":
            return self.domain_cases
        run = os.path.join(self.root, folder, "run")
        if not os.access(run, os.X_OK):
            return []
        done = subprocess.run([run, "--list"], capture_output=True, text=True, check=False, timeout=_LIST_SECONDS)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            print(f"test: the cases of {folder} are not known ({last}); ops/setup installs what they need", file=sys.stderr)
            return []
        return done.stdout.splitlines()
