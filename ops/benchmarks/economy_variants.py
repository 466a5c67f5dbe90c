# SPDX-License-Identifier: Apache-2.0
"""The ways in which `ops/bench economy` has its jobs done: by a worker with some settings, by a plain loop. Each of a
worker's bills must be what its ledger says, and each job must have exactly one result."""

import copy
import json
import os
import re

from benchmarks import report
from benchmarks.economy_bill import PRICES, Bill
from benchmarks.economy_prompt import PROMPT, TABLES
from benchmarks.economy_saving import count_as_billed, told_micro_usd
from benchmarks.economy_workloads import entries
from benchmarks.paid_calls import PaidCalls
from benchmarks.plain_loop import PlainLoop
from rig.deployment import Deployment, merge
from rig.exactness import Exactness
from rig.scripted_model import ScriptedModel

FOLDER = os.path.join(report.FOLDER, "run-economy")
_WORD = re.compile(r"\w+")
_START_SECONDS = 60
_RESULT_SECONDS = 120
FORMER = {"tools": {"encoding": "json", "settings": {
    tool: {"default_level": "standard"} for tool in ("query_database", "file_reader")}}}
FORMER_SOURCE = {"row_limit": 1000, "result_bytes_max": 1048576}


def settings(stack, changes, source):
    """`changes` to the defaults, and `source` to those of the data source."""
    prices = {f"{kind}_per_mtok_usd": price for kind, price in PRICES.items()}
    common = {
        "llm": {"models": {"scripted": {"context_window": 200000, "prices": {**prices, "as_of": "2026-11"}}}},
        "agents": {"default": {"tools": ["*"], "system_prompt": PROMPT}},
        "tools": {"data_sources": [{"name": "analytics", "url": stack.analytics_url, "tables": TABLES,
                                    "description": "Flights from New York in 2013", "pool_size": 8, **source}]},
        "worker": {"lease_ms": 10000, "renew_interval_ms": 2500}, "observability": {"log_level": "warning"},
    }
    return merge(common, copy.deepcopy(changes))


class Variant:
    """One way of doing the jobs. By workload: its calls, and the answer to each question."""

    def __init__(self, name, asks_again=False):
        self.name = name
        self.asks_again = asks_again
        self.calls, self.answers, self.ran, self.kept, self.told = {}, {}, {}, {}, {}
        self.folder = os.path.join(FOLDER, name)
        os.makedirs(self.folder)

    def model_options(self, asked):
        path = os.path.join(self.folder, "script.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"entries": [e for workload in asked for e in entries(workload, self.asks_again)]}, file)
        return {"scripts": [path]}

    def bill(self, workload, kind="bill"):
        return sum((getattr(call, kind) for call in self.calls[workload.name]), Bill())

    def rows_seen(self, workload, rows):
        """Those that stood in the result of a tool that the model was sent."""
        texts = {text for call in self.calls[workload.name] for text in call.observations()}
        with_words = [(text, set(_WORD.findall(text))) for text in texts]
        return [row for row in rows if any(_first_word(row) in words and stands_in(row, text) for text, words in with_words)]

    def rows_in_reach(self, workload, rows, seen):
        """Those that were seen, and what its model can read from artifacts of the conversation."""
        reached = {tuple(row.values()) for row in (*seen, *self.kept.get(workload.name, ()))}
        return [row for row in rows if tuple(row.values()) in reached]


def _first_word(row):
    return _WORD.search(str(next(iter(row.values())))).group()


def stands_in(row, text):
    """Whether the row's cells stand there in their order, in any encoding: names of columns may be between."""
    (_, first), *others = row.items()
    pattern = rf"\b{written(first)}\b"
    for name, cell in others:
        pattern += rf"\W+(?:{name}\W+)?{written(cell)}\b"
    return re.search(pattern, text) is not None


def written(cell):
    """36.0 may stand as 36."""
    if isinstance(cell, float):
        return re.escape(f"{cell:.15g}") + (r"(?:\.0+)?" if cell == int(cell) else "0*")
    return re.escape(str(cell))


def run_worker(variant, stack, asked, changes, source):
    """The jobs of each workload at once; the next one begins when all have their results."""
    with Deployment(stack, variant.folder, settings(stack, changes, source), variant.model_options(asked)) as deployment, \
            PaidCalls(deployment.model.url) as paid:
        deployment.environment.update(count_as_billed(os.path.join(variant.folder, "home")))
        url = deployment.ways.guard(paid.url) if deployment.ways else paid.url
        deployment.change_settings({"llm": {"providers": {"scripted": {"base_url": url}}}})
        deployment.wait_for_worker(deployment.start_worker(), _START_SECONDS)
        submitted = []
        for workload in asked:
            jobs = workload.records()
            submitted += jobs
            deployment.submit(jobs)
            deployment.wait_for_results(len(submitted), _RESULT_SECONDS)
            variant.calls[workload.name] = paid.take()
            variant.answers[workload.name] = answers_of(deployment, jobs)
            variant.ran[workload.name] = queries_run(deployment, jobs)
            variant.kept[workload.name] = list(rows_of_artifacts(deployment, jobs))
            variant.told[workload.name] = told_micro_usd(deployment, _ids(jobs))
            expect_ledger_says_the_same(deployment, jobs, variant.bill(workload), workload)
        Exactness(deployment, submitted).expect_good()


def _ids(jobs):
    return ", ".join(f"'{job['job_id']}'" for job in jobs)


def answers_of(deployment, jobs):
    rows = deployment.database.rows(
        "SELECT j.job_id, r.round, r.final_answer FROM rounds r JOIN jobs j ON j.id = r.job"
        f" WHERE j.job_id IN ({_ids(jobs)}) ORDER BY j.job_id, r.round")
    found = {job["job_id"]: [row["final_answer"] for row in rows if row["job_id"] == job["job_id"]] for job in jobs}
    return {job["job_id"]: dict(zip(job["messages"], found[job["job_id"]])) for job in jobs}


def queries_run(deployment, jobs):
    return deployment.database.value(
        "SELECT count(*) AS n FROM tool_calls t JOIN jobs j ON j.id = t.job"
        f" WHERE j.job_id IN ({_ids(jobs)}) AND NOT coalesce(t.cache_hit, false)")


def rows_of_artifacts(deployment, jobs):
    artifacts = deployment.database.rows(
        "SELECT DISTINCT a.tenant, a.id, coalesce(a.data, (SELECT '[' || string_agg(c.data, ',' ORDER BY c.idx) || ']'"
        " FROM artifact_chunks c WHERE a.file = 'chunks:' || c.upload)) AS data"
        " FROM artifacts a JOIN artifact_references r ON r.tenant = a.tenant AND"
        f" r.artifact = a.id JOIN jobs j ON j.id = r.job WHERE j.job_id IN ({_ids(jobs)})")
    for artifact in artifacts:
        data = json.loads(artifact["data"])
        yield from data if isinstance(data, list) else data["rows"]


def expect_ledger_says_the_same(deployment, jobs, bill, workload):
    row = deployment.database.row(
        "SELECT sum(input_tokens) AS input, sum(cache_read_tokens) AS cache_read, sum(cache_write_tokens) AS cache_write,"
        " sum(output_tokens) AS output, sum(cost_micro_usd) AS micro_usd, bool_and(cost_known) AS known"
        f" FROM jobs WHERE job_id IN ({_ids(jobs)})")
    calls = bill.calls
    billed = {**{kind: getattr(bill, kind) for kind in PRICES}, "known": True}
    said = {kind: row[kind] for kind in billed}
    # Each reply's cost is whole micro-dollars.
    if said != billed or abs(row["micro_usd"] - bill.micro_usd) > calls:
        raise AssertionError(f"{workload.name}: {bill} was billed, {round(bill.micro_usd)} micro-dollars; the ledger has {row}")


def run_plain(variant, stack, asked, head):
    model = ScriptedModel(variant.folder, **variant.model_options(asked))
    try:
        with PaidCalls(model.url) as paid:
            loop = PlainLoop(paid.url, stack.analytics_url, head)
            for workload in asked:
                variant.answers[workload.name] = {
                    job["job_id"]: dict(zip(job["messages"], loop.answers(job))) for job in workload.records()}
                variant.calls[workload.name] = paid.take()
                variant.ran[workload.name] = loop.take_count()
    finally:
        model.process.kill()
