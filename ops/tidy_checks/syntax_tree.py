# SPDX-License-Identifier: Apache-2.0
"""clang-tidy with the checks of .clang-tidy. It compiles each file, so only a part of the tree is looked at."""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess

_PROGRAM = "clang-tidy-19"
_FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:error|warning): (.*?) \[([\w.,-]+)\]$", re.MULTILINE)
# g++'s own flags, and clang's further warnings, say nothing of bugs here.
_OPTIONS = ("--quiet", "--extra-arg=-w", "--extra-arg=-Wno-error")


class CannotLook(Exception):
    """Says what is missing."""


def compiled_files(tree):
    """Path -> path as the build's list of commands has it."""
    database = tree.absolute("build/release/compile_commands.json")
    if not os.path.exists(database):
        raise CannotLook("build/release/compile_commands.json is missing: cmake --preset release")
    with open(database, encoding="utf-8") as file:
        return {os.path.relpath(entry["file"], tree.root): entry["file"] for entry in json.load(file)}


def sources_of(paths, compiled):
    """The files to compile for these paths: themselves, and of a header the file of its name."""
    wanted = (path[: -len(".hpp")] + ".cpp" if path.endswith(".hpp") else path for path in paths)
    return sorted({path for path in wanted if path in compiled})


def check(tree, paths, jobs):
    """Findings in these files, each once."""
    compiled = compiled_files(tree)
    sources = sources_of(paths, compiled)
    if not shutil.which(_PROGRAM):
        raise CannotLook(f"{_PROGRAM} is missing: install Debian's package {_PROGRAM}")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda path: _check_file(tree, compiled[path], path), sources)
    return sources, sorted({finding for findings in found for finding in findings})


def _check_file(tree, file, path):
    done = subprocess.run([_PROGRAM, "-p", "build/release", *_OPTIONS, file], cwd=tree.root, capture_output=True, text=True, check=False)
    findings = [f"{os.path.relpath(place, tree.root)}:{line}: {what} ({check.split(',')[0]})"
                for place, line, what, check in _FINDING.findall(done.stdout)]
    if done.returncode != 0 and not findings:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        findings = [f"{path}:1: {_PROGRAM} could not read it: {last}"]
    return findings
