# SPDX-License-Identifier: Apache-2.0
"""What a job is billed, against a plain ReAct loop and the former defaults; see ops/bench --help."""

import argparse
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import economy_report, report
from benchmarks.economy_bill import PRICES
from benchmarks.economy_saving import compared
from benchmarks.economy_variants import FOLDER, FORMER, FORMER_SOURCE, Variant, run_plain, run_worker
from benchmarks.economy_workloads import workloads
from benchmarks.plain_loop import head_of, rows_of
from rig.stack import Stack


def figures_of(workload, variants, url):
    plain, *others = variants
    questions = [question for questions in workload.jobs for question in questions]
    statements = dict.fromkeys(query.sql for question in questions for query in question.queries)
    rows = [row for sql in statements for row in rows_of(url, sql)]
    figures = {"name": workload.name, "jobs": len(workload.jobs), "questions": len(questions), "rows": len(rows),
               "variants": {}}
    for variant in variants:
        bill, shared = variant.bill(workload), variant.bill(workload, "shared")
        seen = variant.rows_seen(workload, rows)
        figures["variants"][variant.name] = {
            "bill": bill.as_json(), "shared": shared.as_json(), "rows_seen": len(seen),
            "rows_in_reach": len(variant.rows_in_reach(workload, rows, seen)), "queries_run": variant.ran[workload.name]}
    unanswered = [text for of_job in plain.answers[workload.name].values() for text in of_job.values() if "I don't know" in text]
    if unanswered:
        raise AssertionError(f"{workload.name}: the plain loop says {unanswered[0]}")
    for variant in others:
        compare(workload, figures["variants"], variant, plain)
    return figures


def compare(workload, figures, variant, plain):
    """Adds what of the plain loop's bill the variant's is, or why that says nothing."""
    one, other = figures[variant.name], figures[plain.name]
    if variant.answers[workload.name] != plain.answers[workload.name]:
        one["why_none"] = f"other answers: {difference(variant, plain, workload)}"
    elif workload.reads_all and one["rows_seen"] < other["rows_seen"]:
        one["why_none"] = f"{one['rows_seen']} rows were seen, {other['rows_seen']} by the plain loop"
    elif variant.name == "worker" and one["rows_in_reach"] < other["rows_seen"]:
        one["why_none"] = f"{one['rows_in_reach']} rows are in reach, {other['rows_seen']} were seen by the plain loop"
    else:
        one["ratio"] = {kind: one[kind]["micro_usd"] / other[kind]["micro_usd"] for kind in ("bill", "shared")}
        if one["bill"]["calls"] == other["bill"]["calls"]:  # a plain loop for the same work
            one["saved"] = compared(variant.told[workload.name], other["bill"]["micro_usd"], one["bill"]["micro_usd"])


def difference(variant, plain, workload):
    for job, answers in plain.answers[workload.name].items():
        other = variant.answers[workload.name][job]
        for question, answer in answers.items():
            if other.get(question) != answer:
                return f'"{other.get(question)}" instead of "{answer}"'
    return "none"


def settings_of(text):
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text}: no JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f'{text}: must be an object such as {{"tools": {{"encoding": "yaml"}}}}')
    return value


def main():
    parser = argparse.ArgumentParser(prog="ops/bench economy")
    parser.add_argument("--settings", type=settings_of, default={}, metavar="JSON")
    parser.add_argument("--only", action="append", default=[], metavar="WORKLOAD")
    options = parser.parse_args()
    stack = Stack()
    machine = report.machine()
    shutil.rmtree(FOLDER, ignore_errors=True)
    every = workloads(stack.analytics_url)
    names = [workload.name for workload in every]
    if unknown := set(options.only) - set(names):
        parser.error(f"--only: no {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    asked = [workload for workload in every if not options.only or workload.name in options.only]
    plain, former, worker = Variant("plain"), Variant("former", asks_again=True), Variant("worker")
    run_worker(worker, stack, asked, options.settings, {})
    run_worker(former, stack, asked, FORMER, FORMER_SOURCE)
    run_plain(plain, stack, asked, head_of(worker.calls[asked[0].name][0].request))
    data = {"benchmark": "economy", "machine": machine, "options": vars(options), "prices_per_mtok_usd": PRICES,
            "workloads": [figures_of(workload, (plain, former, worker), stack.analytics_url) for workload in asked]}
    report.write("economy", data, economy_report.markdown(data))


if __name__ == "__main__":
    main()
