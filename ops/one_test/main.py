# SPDX-License-Identifier: Apache-2.0
"""The part of ops/test that takes names; see ops/test --help."""

import argparse
import os
import shutil
import signal
import sys

OPS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, OPS)
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from one_test.building import Build
from one_test.catalog import Catalog, SELF_RUNNING
from one_test.choice import Finder, NotFound
from one_test.cmake_lists import Program
from one_test.running import Runner


def parse():
    parser = argparse.ArgumentParser(prog="ops/test")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--debug", action="store_true")
    parser.add_argument("--asan", action="store_true")
    parser.add_argument("--jobs", default=str(os.cpu_count() or 1))
    parser.add_argument("--root", default=os.path.dirname(OPS), help=argparse.SUPPRESS)
    return parser.parse_args()


def list_all(catalog, words):
    """All tests, or those whose line has one of the words."""
    tests = sorted(catalog.tests(), key=lambda test: (test.folder, test.name))
    lines = [f"{test.name:<36} {test.label:<9} {test.folder}" for test in tests]
    for folder in SELF_RUNNING:
        lines += [f"{case:<46} {folder}" for case in catalog.listed_cases(folder)]
    shown = [line for line in lines if not words or any(word in line for word in words)]
    if not shown:
        sys.exit(f"test: no test has {' or '.join(words)} in its name; ops/test --list tells all")
    print("\n".join(shown))


def chosen(finder, names):
    runs = []
    for name in names:
        try:
            how, found = finder.find(name)
        except NotFound as missing:
            sys.exit(f"test: {missing}")
        print(f"{name}: {how}", flush=True)
        runs += [run for run in found if run not in runs]
    return runs


def refuse_to_debug(runs):
    if len(runs) != 1 or not isinstance(runs[0].test, Program):
        told = ", ".join(run.name for run in runs)
        sys.exit(f"test: --debug needs one program in C++, and this is {told}; a filter takes one: PROGRAM:Suite.Name")
    if not shutil.which("gdb"):
        sys.exit("test: gdb is missing: install Debian's package gdb")


def main():
    options = parse()
    catalog = Catalog(options.root)
    if options.list:
        list_all(catalog, options.names)
        return 0
    runs = chosen(Finder(catalog), options.names)
    if os.environ.get("BA_ONLY_PARSE"):  # see ops/lib/console.sh
        return 0
    if options.debug:
        refuse_to_debug(runs)
        print("gdb: `run` starts it, and it stops at a failed expectation", flush=True)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for gdb
    else:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers end, too
    preset = "asan" if options.asan else "debug" if options.debug else "release"
    build = Build(catalog, preset, options.jobs)
    build.make(runs)
    return 1 if Runner(catalog, build, options.debug).run_all(runs) else 0


if __name__ == "__main__":
    sys.exit(main())
