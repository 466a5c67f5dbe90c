# SPDX-License-Identifier: Apache-2.0
"""Runs the cases: side by side where they may, then the others one by one. Ends with the line
"N passed, N failed"."""

import argparse
import concurrent.futures
import importlib
import os
import shutil
import sys
import threading
import time
import traceback

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "ops"), HERE]

# pylint: disable=wrong-import-position
from case import LARGE, Lab
from rig.stack import Stack

LOGS = os.path.join(ROOT, "build/test-logs/integration")
PRINTING = threading.Lock()


def cases():
    modules = sorted(f[:-3] for f in os.listdir(HERE) if f.endswith("_test.py"))
    return [case for module in modules for case in importlib.import_module(module).CASES]


def run(case, stack):
    """Whether it passed."""
    folder = os.path.join(LOGS, case.folder_name())
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    began = time.monotonic()
    problem = remark = None
    try:
        remark = case.run(Lab(stack, folder, LARGE))
    except Exception as error:  # pylint: disable=broad-exception-caught
        problem = "".join(traceback.format_exception(error))
        with open(os.path.join(folder, "failure.txt"), "w", encoding="utf-8") as file:
            file.write(problem)
    with PRINTING:
        word = "FAILED " if problem else "ok     "
        note = f": {remark}" if remark else ""
        print(f"{word} {case.name} ({time.monotonic() - began:.1f} s){note}", flush=True)
        if problem:
            print("        " + problem.replace("\n", "\n        "), flush=True)
    return problem is None


def fits(case, stack):
    """What has no sense on such a stack is named, and not counted."""
    if case.secure is None or case.secure == bool(stack.secure):
        return True
    with PRINTING:
        print(f"not here {case.name}: {case.why}", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(prog="tests/integration/run")
    parser.add_argument("parts", nargs="*", help="parts of names of cases; all of them without")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1), help="cases side by side")
    parser.add_argument("--list", action="store_true", help="only print the names")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--alone", action="store_true", help="only cases that want the servers for themselves")
    which.add_argument("--shared", action="store_true", help="only the others")
    options = parser.parse_args()
    chosen = [c for c in cases() if not options.parts or any(p in c.name for p in options.parts)]
    if options.alone or options.shared:
        chosen = [c for c in chosen if c.alone == options.alone]
    if options.list:
        print("\n".join(case.name for case in chosen))
        return 0
    stack = Stack()
    chosen = [case for case in chosen if fits(case, stack)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda case: run(case, stack), [c for c in chosen if not c.alone]))
    results += [run(case, stack) for case in chosen if case.alone]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
