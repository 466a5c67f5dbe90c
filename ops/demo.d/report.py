#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Prints what became of the demo's jobs and says by its exit code whether all went well.

usage: report.py FOLDER MODE

FOLDER holds jobs.jsonl (as submitted), results.jsonl (the results topic), truths.tsv (job id, round,
text: what the answers must contain, from the database). MODE is "exact" where the models must give
these texts, "completed" where any answer will do.
"""

import datetime
import json
import pathlib
import sys

BOLD, DIM, GREEN, RED, END = ("\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[0m")
if not sys.stdout.isatty():
    BOLD = DIM = GREEN = RED = END = ""


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def truths_of(path):
    """Job id to a list of (round, text)."""
    truths = {}
    for line in path.read_text().splitlines():
        job_id, number, text = line.split("\t")
        truths.setdefault(job_id, []).append((int(number), text))
    return truths


def seconds(result):
    """From the first claim to the end; the times are RFC 3339."""
    def parsed(text):
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (parsed(result["finished_at"]) - parsed(result["started_at"])).total_seconds()


def tokens(result):
    usage = result.get("usage", {})
    return sum(int(usage.get(name, 0)) for name in (
        "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"))


def cost(result):
    dollars = int(result.get("cost_micro_usd", 0)) / 1e6
    if not result.get("cost_incomplete"):
        return f"${dollars:.4f}"
    return f"at least ${dollars:.4f}" if dollars else "cost not known (no price configured)"


def counted(number, thing):
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def numbers(result):
    parts = [counted(result.get("rounds", 0), "round"), counted(result.get("steps", 0), "step"),
             counted(result.get("tool_calls", 0), "tool call")]
    if result.get("tool_calls_failed"):
        parts[-1] += f" ({result['tool_calls_failed']} failed)"
    parts += [counted(tokens(result), "token"), cost(result), f"{seconds(result):.2f} s",
              "answered by " + result.get("model", "nobody")]
    return " · ".join(parts)


def plain(text):
    """As it is compared: people and models write 336,776."""
    return text.replace(",", "").casefold()


def missing_texts(result, truths):
    answers = {answer.get("round", 0): plain(answer.get("text", ""))
               for answer in result.get("answers", [])}
    return [text for number, text in truths if plain(text) not in answers.get(number, "")]


def problems_of(results, truths, exact):
    if not results:
        return ["no result on the topic"]
    if len(results) > 1:
        return [f"{len(results)} results on the topic"]
    result = results[0]
    if result.get("outcome") != "completed":
        error = result.get("error", {})
        return [f"{result.get('outcome')}: {error.get('code')}: {error.get('message')}"]
    missing = missing_texts(result, truths) if exact else []
    return [f"the database says {text!r}, the answer does not" for text in missing]


def show(job, results, problems):
    print(f"{BOLD}{job['metadata']['title']}{END}  {DIM}{job['job_id']}{END}")
    answers = {answer.get("round", 0): answer.get("text", "")
               for result in results[:1] for answer in result.get("answers", [])}
    for number, question in enumerate(job["messages"]):
        print(f"  ? {question}")
        for line in answers.get(number, "(no answer)").splitlines():
            print(f"  > {line}")
    if results:
        print(f"  {DIM}{numbers(results[0])}{END}")
    for problem in problems:
        print(f"  {RED}wrong: {problem}{END}")
    print()


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("exact", "completed"):
        sys.exit(__doc__)
    folder, exact = pathlib.Path(sys.argv[1]), sys.argv[2] == "exact"
    results = {}
    for result in lines_of(folder / "results.jsonl"):
        results.setdefault(result["job_id"], []).append(result)
    truths = truths_of(folder / "truths.tsv")
    jobs = lines_of(folder / "jobs.jsonl")
    wrong = 0
    for job in jobs:
        found = results.get(job["job_id"], [])
        problems = problems_of(found, truths[job["job_id"]], exact)
        show(job, found, problems)
        wrong += bool(problems)
    checked = "each answer holds what the database says" if exact else "all completed"
    if wrong:
        print(f"{RED}{wrong} of {len(jobs)} jobs went wrong{END}")
    else:
        print(f"{GREEN}{len(jobs)} jobs, one result each on the topic, {checked}{END}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
