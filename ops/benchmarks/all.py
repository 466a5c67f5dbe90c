# SPDX-License-Identifier: Apache-2.0
"""Every benchmark of the catalog, one after the other on one stack, and one table of all figures; see ops/bench --help."""

import argparse
import json
import os
import platform
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.builds import version_of
from benchmarks.catalog import BENCHMARKS, ELSEWHERE, FLOOR_NOTE
from rig.database import psql
from rig.stack import ROOT, Stack, program


def python_of(part):
    folder = subprocess.run([os.path.join(ROOT, "ops/setup"), "--where", part], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.strip()
    return os.path.join(folder, "bin/python")


def versions(stack):
    java = subprocess.run(["java", "-version"], check=True, stderr=subprocess.PIPE, text=True).stderr.splitlines()[0]
    return {"worker": version_of(os.path.dirname(program("ba-agent"))), "system": platform.freedesktop_os_release()["PRETTY_NAME"],
            "postgresql": psql(stack.postgres_url, "SHOW server_version").strip(), "java": java,
            "python": platform.python_version()}


def run_one(benchmark, quick):
    """Its JSON, or why there is none."""
    source = os.path.join(HERE, benchmark.file)
    if not os.path.exists(source):
        return None, f"ops/benchmarks/{benchmark.file} isn't there"
    result = os.path.join(report.FOLDER, f"{benchmark.name}.json")
    if os.path.exists(result):
        os.remove(result)
    command = [python_of(benchmark.python), source, *(benchmark.quick if quick else benchmark.arguments)]
    print(f"== {benchmark.name}: {' '.join(command[1:])}", flush=True)
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, flush=True)
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if line.strip()] or ["nothing"]
        return None, f"ended with {done.returncode}, and said last: {said[-1]}"
    if not os.path.exists(result):
        return None, f"wrote no {benchmark.name}.json"
    with open(result, encoding="utf-8") as file:
        return json.load(file), None


def told(figure, data):
    """A figure as the JSON and the table have it."""
    value = figure.value(data)
    target = None if figure.target is None else {"value": figure.target, "stretch": figure.stretch, "met": figure.met(value)}
    return {"title": figure.title, "value": value, "unit": figure.unit, "digits": figure.digits, "target": target,
            "at_least": figure.more_is_better, "against": figure.against(data)}


def outcome_of(benchmark, quick):
    data, problem = run_one(benchmark, quick)
    figures = []
    if not problem:
        try:
            figures = [told(figure, data) for figure in benchmark.figures]
        except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
            problem = f"its JSON has another form than the catalog expects: {error!r}"
    if not problem and not figures:
        problem = "the catalog names no figures of it"
    return {"name": benchmark.name, "figures": figures, "problem": problem, "data": data}


def _limit(figure, value):
    if value is None:
        return ""
    return f"{'≥' if figure['at_least'] else '≤'} {value:,.{figure['digits']}f} {figure['unit']}".rstrip()


def markdown(data):
    rows = [("what", "measured", "target", "stretch", "met", "against")]
    for outcome in data["benchmarks"]:
        for figure in outcome["figures"]:
            target = figure["target"] or {"value": None, "stretch": None, "met": None}
            rows.append((figure["title"], f"{figure['value']:,.{figure['digits']}f} {figure['unit']}".rstrip(),
                         _limit(figure, target["value"]), _limit(figure, target["stretch"]),
                         {True: "yes", False: "**no**", None: ""}[target["met"]], figure["against"]))
    problems = [f"- **{one['name']}**: {one['problem']}" for one in data["benchmarks"] if one["problem"]]
    missing = "\nWithout a figure:\n\n" + "\n".join(problems) + "\n" if problems else ""
    elsewhere = "\n".join(f"- {what}: {where}" for what, where in ELSEWHERE)
    versions_told = "\n".join(f"- {name}: {version}" for name, version in data["versions"].items())
    quick = "**Quick: these figures only show that the programs work.**\n\n" if data["options"]["quick"] else ""
    return (f"# All benchmarks\n\n{quick}{report.machine_line(data['machine'])}{versions_told}\n\n{report.table(rows)}\n"
            f"Only ratios hold on another machine ({FLOOR_NOTE}).\n{missing}\nMeasured elsewhere:\n\n{elsewhere}\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench all")
    parser.add_argument("--only", action="append", choices=[benchmark.name for benchmark in BENCHMARKS], metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    stack = Stack()
    data = {"benchmark": "all", "machine": report.machine(), "options": vars(options), "versions": versions(stack)}
    data["benchmarks"] = [outcome_of(benchmark, options.quick) for benchmark in BENCHMARKS
                          if not options.only or benchmark.name in options.only]
    report.write("all", data, markdown(data))
    problems = [one["name"] for one in data["benchmarks"] if one["problem"]]
    if problems:
        raise SystemExit(f"without a figure: {', '.join(problems)}")


if __name__ == "__main__":
    main()
