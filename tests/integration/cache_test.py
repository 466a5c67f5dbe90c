# SPDX-License-Identifier: Apache-2.0
"""Results of tools across jobs and workers: one that is kept answers the next call that means the same, of
two such calls at the same time one runs, and a killed worker's is taken over."""

import contextlib
import json
import os
import signal

from case import Case
from rig import endpoints
from rig.waiting import wait_until
from sales import Sales

# Each writes the same question in its own words; the last one in both.
SCRIPT = """
entries:
  - when: {regex: 'first'}
    then:
      - tool_calls: [{name: query_database, args: {sql: "SELECT sum(n) FROM sales WHERE n > 1"}}]
      - {text: '{{observation.-1}}'}
  - when: {regex: 'second'}
    then:
      - tool_calls: [{name: query_database, args: {sql: "select SUM(n) from sales  where (n > 1) -- again"}}]
      - {text: '{{observation.-1}}'}
  - when: {regex: 'both'}
    then:
      - tool_calls: [{name: query_database, args: {sql: "SELECT sum(n) FROM sales WHERE n > 1"}}]
      - tool_calls: [{name: query_database, args: {sql: "select SUM(n) from sales  where (n > 1) -- again"}}]
      - {text: '{{observation.-1}}'}
"""
ANSWER = '{sum}:\n  5'  # in compact


def settings(sales, **cache):
    return {"tools": {"data_sources": [sales.source], "cache": cache}, "http": {"enabled": True, "port": 0},
            "limits": {"running_jobs_max": 1}}


@contextlib.contextmanager
def installation(lab, **cache):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with Sales(lab) as sales:
        with lab.deployment(settings(sales, **cache), scripts=[script]) as deployment:
            yield sales, deployment


def job(name, question):
    return {"tenant": "rig", "job_id": name, "messages": [question]}


def call_of(deployment, name):
    """The one call of a finished job, as `show` has it."""
    shown = json.loads(deployment.run("show", f"rig/{name}", "--json"))
    (call,) = shown["tool_calls"]
    assert call["state"] == "succeeded", call
    return call


def answered(deployment, count):
    deployment.wait_for_results(count, 60)
    answers = deployment.database.rows("SELECT final_answer FROM rounds")
    assert len(answers) == count and all(ANSWER in row["final_answer"] for row in answers), answers


def another_job_is_answered(lab):
    with installation(lab, confirm_after_ms=0) as (_, deployment):
        first = deployment.start_worker()
        deployment.submit([job("a", "first")])
        answered(deployment, 1)
        first.signal(signal.SIGTERM)
        first.wait(30)
        deployment.start_worker()
        deployment.submit([job("b", "second")])
        answered(deployment, 2)
        one, other = call_of(deployment, "a"), call_of(deployment, "b")
        assert one["semantic_key"] == other["semantic_key"], (one, other)
        assert not one["cache_hit"] and other["cache_hit"], (one, other)
        (statistics,) = json.loads(deployment.run("cache", "stats", "--json"))
        assert (statistics["entries"], statistics["hits"]) == (1, 1), statistics
        assert "did you mean 'query_database'?" in deployment.answer("cache", "stats", "--tool", "query_databse")[1]
        kept = json.loads(deployment.run("cache", "show", one["semantic_key"][:10], "--json"))
        assert kept["origin"] == other["cache_origin"] and kept["data"] == [{"sum": 5}], kept
        assert kept["data_source"] == "sales" and kept["caller"] == "default", kept
        assert "cached" in deployment.run("show", "rig/b") and "cached" not in deployment.run("show", "rig/a")
        asked = ["tool", "run", "query_database", json.dumps({"sql": "SELECT sum(n) FROM sales WHERE n > 1"}), "--json"]
        ran = json.loads(deployment.run(*asked, "--tenant", "rig"))
        assert ran["cache_hit"] and ran["semantic_key"] == one["semantic_key"], ran
        assert not json.loads(deployment.run(*asked, "--tenant", "other"))["cache_hit"]
        assert deployment.run("cache", "purge", "--data-source", "other") == "0 results taken out\n"
        out, err = deployment.answer("cache", "purge", "--tool", "query_databse")
        assert out == "0 results taken out\n" and "did you mean 'query_database'?" in err, (out, err)
        assert deployment.run("cache", "purge", "--tool", "query_database") == "2 results taken out\n"
        deployment.run("cache", "show", one["semantic_key"], code=1)
        deployment.submit([job("c", "second")])
        answered(deployment, 3)
        assert not call_of(deployment, "c")["cache_hit"]
        deployment.run("cache", "purge", code=2)


def one_of_two_runs(lab):
    with installation(lab) as (sales, deployment):
        with sales.locked():
            for worker in (deployment.start_worker(), deployment.start_worker()):
                deployment.wait_for_worker(worker)
            deployment.submit([job("a", "first"), job("b", "second")])
            wait_until(lambda: deployment.database.value(
                "SELECT count(DISTINCT incarnation) AS n FROM jobs WHERE state = 'running'") == 2, 60,
                       deployment.explain)
            wait_until(lambda: deployment.database.value("SELECT count(*) AS n FROM tool_calls") == 2, 60,
                       deployment.explain)
            wait_until(lambda: sales.waiting() == 1, 60, deployment.explain)
        answered(deployment, 2)
        hits = sorted(call_of(deployment, name)["cache_hit"] for name in ("a", "b"))
        assert hits == [False, True], hits


def a_killed_one_is_taken_over(lab):
    with installation(lab) as (sales, deployment):
        with sales.locked():
            first = deployment.start_worker()
            deployment.wait_for_worker(first)
            deployment.submit([job("a", "first")])
            wait_until(lambda: sales.waiting() == 1, 60, deployment.explain)
            second = deployment.start_worker()
            deployment.wait_for_worker(second)
            deployment.submit([job("b", "second")])
            wait_until(lambda: deployment.database.value("SELECT count(*) AS n FROM tool_calls") == 2, 60,
                       deployment.explain)
            killed = deployment.database.value("SELECT owner FROM tool_flights")
            first.kill()
            wait_until(lambda: deployment.database.value("SELECT owner FROM tool_flights") != killed, 30,
                       "another worker has taken over once the killed one's lease had ended")
        answered(deployment, 2)
        takeovers = 'ba_result_cache_misses_total{reason="takeover"}'
        wait_until(lambda: endpoints.metric(second, takeovers) == 1, 10, lambda: endpoints.read(second, "/metrics")[1])


def reported_after_a_crash(lab):
    """A job's report has the hits that the ledger kept of it, whoever ends it."""
    with installation(lab) as (_, deployment):
        first = deployment.start_worker(crash_at="reply_received:3")
        deployment.submit([job("a", "both")])
        assert first.wait(60) == -signal.SIGKILL, first.tail()
        deployment.start_worker()
        answered(deployment, 1)
        shown = json.loads(deployment.run("show", "rig/a", "--json"))
        assert [call["cache_hit"] for call in shown["tool_calls"]] == [False, True], shown["tool_calls"]
        (tool,) = shown["metrics"]["tools"]
        assert (tool["call_count"], tool["cache_hits"], tool["cache_hit_rate"]) == (2, 1, 0.5), tool
        told = "Cache:\n  - Hits: 1\n  - query_database: 1 (50.0%)\n"
        assert told in shown["metrics"]["report"], shown["metrics"]["report"]


CASES = [
    Case("a metrics report has its cache hits after a kill -9, too", reported_after_a_crash),
    Case("a kept result answers another job in another worker", another_job_is_answered),
    Case("of two calls that mean the same in two workers one runs", one_of_two_runs),
    Case("a call that a killed worker made for others is taken over", a_killed_one_is_taken_over),
]
