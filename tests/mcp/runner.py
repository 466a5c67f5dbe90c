# SPDX-License-Identifier: Apache-2.0
"""Runs the cases one by one and prints a table. Ends with the line "N passed, N failed"."""

import argparse
import sys
import time
import traceback

import conformance_test
import hostile_test
import reference_test

MODULES = (conformance_test, reference_test, hostile_test)


def name_of(case):
    return case.__name__.replace("_", " ") if " " not in case.__name__ else case.__name__


def run(case):
    """Whether it passed."""
    began = time.monotonic()
    remark = problem = ""
    try:
        remark = case() or ""
    except Exception:  # pylint: disable=broad-exception-caught
        problem = traceback.format_exc()
    print(f"{'FAILED' if problem else 'ok    '} {name_of(case):<75} {time.monotonic() - began:5.1f} s  {remark}", flush=True)
    if problem:
        print("        " + problem.replace("\n", "\n        "), flush=True)
    return not problem


def run_expected_failures():
    """Tells how those stand that the client isn't made for; counts nothing."""
    for scenario in conformance_test.auth_scenarios():
        passed, count = conformance_test.run_scenario("2026-07-28", scenario)
        note = "passes" if passed else "fails, as expected"
        print(f"       {scenario:<75} {note} ({count[:40].strip()})", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="tests/mcp/run")
    parser.add_argument("parts", nargs="*", help="parts of names of cases; all of them without")
    parser.add_argument("--list", action="store_true", help="only print the names")
    parser.add_argument("--auth", action="store_true",
                        help="also run the scenarios about authorization, which are expected to fail")
    options = parser.parse_args()
    cases = [case for module in MODULES for case in module.CASES]
    chosen = [c for c in cases if not options.parts or any(p in name_of(c) for p in options.parts)]
    if options.list:
        print("\n".join(name_of(case) for case in chosen))
        return 0
    results = [run(case) for case in chosen]
    if options.auth:
        run_expected_failures()
    for prefix, reason in conformance_test.EXPECTED_FAILURES.items():
        print(f"not run: {prefix}* of both revisions; expected to fail: {reason}"
              if not options.auth else f"expected to fail: {prefix}*: {reason}")
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
