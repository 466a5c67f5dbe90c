# SPDX-License-Identifier: Apache-2.0
"""Sub-agents: a job gives pieces of its work to them, and kills, drains, pauses and cancellations of workers and
jobs lose, double and forget nothing of it."""

import contextlib
import functools
import json
import os
import re
import signal

from case import LARGE, Case
from rig.topics import Reader
from rig.waiting import wait_until
from sales import Sales

# Each sub-agent takes two calls of the model, the job two as well.
SCRIPT = """
entries:
  - when: {regex: '^ask (\\w+)'}
    then:
      - tool_calls:
          - {name: task, args: {description: count it, prompt: 'count part one', subagent_type: explorer}}
          - {name: task, args: {description: count it, prompt: 'count part two', subagent_type: explorer}}
      - {text: 'both: {{observation.0}} and {{observation.1}}'}
  - when: {regex: '^again (\\w+)'}
    then:
      - tool_calls:
          - {name: task, args: {description: go on, prompt: 'now another', subagent_type: explorer, agent_id: '{{match.1}}'}}
      - {text: '{{observation.0}}'}
  - when: {regex: '^large (\\w+)'}
    then:
      - tool_calls: [{name: query_database, args: {sql: "SELECT repeat('x', 1000) AS pad FROM generate_series(1, 1500)"}}]
      - let: {id: "{{observation.-1 | regex '(artifact_[0-9a-f]+)'}}"}
        tool_calls:
          - {name: task, args: {description: read, prompt: 'read {{id}}', subagent_type: explorer}}
          - {name: task, args: {description: make, prompt: 'make one', subagent_type: explorer}}
      - let: {made: "{{observation.-1 | regex '(artifact_[0-9a-f]+)'}}"}
        tool_calls: [{name: file_reader, args: {artifact_id: '{{made}}', json_path: '$[1399].pad'}}]
      - {text: '{{observation.-3}} | {{observation.-1}}'}
  - when: {regex: '^read (\\w+)'}
    then:
      - tool_calls: [{name: file_reader, args: {artifact_id: '{{match.1}}', json_path: '$[1499].pad'}}]
      - {text: 'lent {{observation.-1}}'}
  - when: {exact: 'make one'}
    then:
      - tool_calls: [{name: query_database, args: {sql: "SELECT repeat('y', 1000) AS pad FROM generate_series(1, 1400)"}}]
      - {text: 'made {{observation.-1}}'}
  - when: {exact: 'sum them'}
    then:
      - tool_calls:
          - {name: task, args: {description: count it, prompt: 'sum part one', subagent_type: explorer}}
          - {name: task, args: {description: count it, prompt: 'sum part two', subagent_type: explorer}}
      - {text: 'both: {{observation.0}} and {{observation.1}}'}
  - when: {regex: 'sum part (\\w+)'}
    then:
      - tool_calls: [{name: query_database, args: {data_source: sales, sql: "SELECT '{{match.1}}', sum(n) FROM sales"}}]
      - {text: 'part {{match.1}} is counted'}
  - when: {exact: 'think of them'}
    then:
      - tool_calls:
          - {name: task, args: {description: count it, prompt: 'think of one', subagent_type: explorer}}
          - {name: task, args: {description: count it, prompt: 'think of two', subagent_type: explorer}}
  - when: {regex: '^think of (one|two)'}
    then: [{text: 'thought of {{match.1}}', delay_ms: 60000}]
  - when: {exact: 'another job'}
    then: [{text: 'done'}]
  - when: {regex: 'count part (\\w+)'}
    then:
      - tool_calls: [{name: query_database, args: {sql: "SELECT count(*) FROM flights WHERE month = 1"}}]
      - {text: 'part {{match.1}} is counted'}
  - when: {exact: 'now another'}
    then:
      - {text: 'after {{earlier.-1.answer}}'}
"""
SIGKILLED = -9
AGENTS = {
    "default": {"sub_agents": ["explorer"]},
    "explorer": {"description": "counts", "tools": ["query_database", "file_reader"]},
}


def installation(lab, delay_ms=0, sources=()):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    source = {"name": "analytics", "url": lab.stack.analytics_url, "tables": "flights(month)", "row_limit": 5000,
              "result_bytes_max": 4 << 20}
    settings = {"agents": AGENTS, "tools": {"data_sources": [source, *sources]}}
    return lab.deployment(settings, scripts=[script], delay_ms=delay_ms)


def job(name, question="ask them", **more):
    return {"tenant": "rig", "job_id": name, "messages": [question]} | more


def answer_of(deployment, name="a"):
    return deployment.database.value(
        "SELECT final_answer FROM rounds r JOIN jobs j ON j.id = r.job"
        f" WHERE j.job_id = '{name}' ORDER BY r.round DESC LIMIT 1")


def expect_answer(deployment, name="a"):
    """The ids of both sub-agents, as the model read them."""
    answer = answer_of(deployment, name)
    parts = re.fullmatch(r"both: part one is counted\n\nagentId: (\w{16}) \(for resuming\) and "
                         r"part two is counted\n\nagentId: (\w{16}) \(for resuming\)", answer)
    assert parts, answer
    return parts.groups()


def expect_exact(deployment, wasted_max):
    """Of job a one result, one row for each sub-agent, each call that was paid for in the bill or recorded as lost,
    and nothing that is left."""
    rows = deployment.database.rows(
        "SELECT job_id, parent, state, outcome, steps, wasted_model_calls, input_tokens + output_tokens AS tokens,"
        " cost_micro_usd, (SELECT count(*) FROM steps s WHERE s.job = j.id) AS replies,"
        " (SELECT coalesce(sum(calls), 0) FROM wasted_model_calls w WHERE w.job = j.id) AS lost FROM jobs j")
    asking = [row for row in rows if row["job_id"] == "a"]
    agents = [row for row in rows if row["parent"] is not None]
    assert len(asking) == 1 and len(agents) == 2, rows
    assert all(row["state"] == "finished" for row in rows), rows
    (bill,) = asking
    own = deployment.database.value("SELECT sum(s.input_tokens + s.output_tokens) AS n FROM steps s"
                                    " JOIN jobs j ON j.id = s.job WHERE j.job_id = 'a'")
    assert bill["tokens"] >= own + sum(row["tokens"] for row in agents), rows
    lost = sum(row["lost"] for row in rows)
    assert bill["wasted_model_calls"] == lost and lost <= wasted_max, rows
    paid = sum(deployment.model.paid_calls().values())
    recorded = sum(row["replies"] for row in rows) + lost
    assert paid <= recorded, f"{paid} calls paid, {recorded} persisted or lost"
    assert deployment.database.value("SELECT count(*) AS n FROM attempts WHERE ended_at IS NULL") == 0
    names = {bytes.fromhex(row["record_key"][2:]) for row in deployment.database.rows("SELECT record_key FROM outbox")}
    assert names and names <= {b"rig/a", b"rig/other"}, names
    return bill


def published(deployment):
    """The results on the topic, as they stand there."""
    reader = Reader(deployment.stack.brokers, [deployment.topics["results"]])
    try:
        wait_until(lambda: reader.poll(), 30, "a result")
        return list(reader.messages)
    finally:
        reader.close()


def answers_and_bill(lab):
    with installation(lab) as deployment:
        deployment.start_worker()
        deployment.submit([job("a")])
        deployment.wait_for_results(1, 60)
        ids = expect_answer(deployment)
        bill = expect_exact(deployment, 0)
        assert sum(deployment.model.paid_calls().values()) == 6 and bill["steps"] == 2, bill
        assert len(published(deployment)) == 1, "a sub-agent publishes nothing"
        shown = json.loads(deployment.run("show", "rig/a", "--json"))
        assert [call["sub_agent"] for call in shown["tool_calls"]] == [f"sub-agent:{name}" for name in ids], shown
        own = json.loads(deployment.run("show", f"rig/sub-agent:{ids[0]}", "--json"))
        assert own["job"]["asked_by"] == "a" and own["tool_calls"][0]["tool_name"] == "query_database", own
        deployment.submit([job("b", f"again {ids[1]}", conversation_id="job:a")])
        deployment.wait_for_results(2, 60)
        assert answer_of(deployment, "b").startswith("after part two is counted\n\nagentId: " + ids[1])
        deployment.submit([job("c", f"again {ids[1]}")])
        deployment.wait_for_results(3, 60)
        assert "AGENT_NOT_FOUND" in answer_of(deployment, "c"), "of another conversation"


def under_way(deployment):
    """Until both sub-agents wait for the model."""
    wait_until(lambda: deployment.database.value(
        "SELECT count(*) AS n FROM jobs WHERE parent IS NOT NULL AND state = 'running'") == 2, 60, deployment.explain)
    wait_until(lambda: len(deployment.model.paid_calls()) == 3, 60, deployment.explain)


def a_killed_worker(lab):
    with installation(lab, delay_ms=700) as deployment:
        worker = deployment.start_worker()
        deployment.submit([job("a")])
        under_way(deployment)
        worker.kill()
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        expect_answer(deployment)
        expect_exact(deployment, 2)


def killed_at(point, nth, wasted_max, lab):
    with installation(lab, delay_ms=300 if point == "model_in_flight" else 0) as deployment:
        worker = deployment.start_worker(crash_at=f"{point}:{nth}")
        deployment.submit([job("a")])
        code = worker.wait(60)
        assert code == SIGKILLED, f"exit code {code}, not killed at {point}: {worker.tail()}"
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        expect_answer(deployment)
        expect_exact(deployment, wasted_max)


@contextlib.contextmanager
def held(lab):
    """Both sub-agents of job a wait for a table: the installation, its worker, and what gives the table free."""
    with Sales(lab) as sales, installation(lab, sources=[sales.source]) as deployment, contextlib.ExitStack() as lock:
        lock.enter_context(sales.locked())
        worker = deployment.start_worker()
        deployment.submit([job("a", "sum them")])
        wait_until(lambda: sales.waiting() == 2, 60, deployment.explain)
        yield deployment, worker, lock.close


def a_drained_worker(lab):
    with held(lab) as (deployment, worker, give_free):
        worker.signal(signal.SIGTERM)
        wait_until(lambda: "drain" in worker.tail(1000).lower(), 30, worker.tail)
        give_free()
        assert worker.wait(30) == 0, worker.tail()
        states = deployment.database.rows("SELECT state FROM jobs ORDER BY id")
        assert [row["state"] for row in states] == ["ready", "held", "held"], states
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        expect_answer(deployment)
        expect_exact(deployment, 0)


def a_cancelled_job(lab):
    with installation(lab) as deployment:
        deployment.start_worker()
        deployment.submit([job("a", "think of them")])
        under_way(deployment)
        agent = deployment.database.value("SELECT job_id FROM jobs WHERE parent IS NOT NULL LIMIT 1")
        _, refused = deployment.answer("job", "cancel", f"rig/{agent}", code=1)
        assert "rig/a" in refused, refused
        deployment.run("job", "cancel", "rig/a")
        deployment.wait_for_results(1, 60)
        bill = expect_exact(deployment, 2)
        assert bill["outcome"] == "cancelled" and bill["wasted_model_calls"] == 2, bill
        outcomes = deployment.database.rows("SELECT outcome FROM jobs WHERE parent IS NOT NULL")
        assert [row["outcome"] for row in outcomes] == ["cancelled", "cancelled"], outcomes


def a_paused_job(lab):
    with held(lab) as (deployment, _, give_free):
        deployment.run("job", "pause", "rig/a")
        # A worker hears of a pause with the jobs that it claims: once it has this one, it knows.
        deployment.submit([job("other", "another job")])
        deployment.wait_for_results(1, 60)
        give_free()
        wait_until(lambda: deployment.database.value(
            "SELECT count(*) AS n FROM jobs WHERE state IN ('paused', 'held')") == 3, 30, deployment.explain)
        assert sum(deployment.model.paid_calls().values()) == 4, "the paused job went on"
        deployment.run("job", "resume", "rig/a")
        deployment.wait_for_results(2, 60)
        expect_answer(deployment)
        expect_exact(deployment, 0)


# Point, the how many-th time: those of the sub-agents among others; how many calls may be lost.
POINTS = (("model_in_flight", 2, 2), ("reply_received", 2, 2), ("reply_committed", 3, 1), ("tool_finished", 1, 1),
          ("job_finished", 1, 1), ("job_finished", 2, 1), ("tool_finished", 3, 1))

def artifacts_in_both_directions(lab):
    with installation(lab) as deployment:
        deployment.start_worker()
        deployment.submit([job("a", "large one")])
        deployment.wait_for_results(1, 60)
        answer = answer_of(deployment)
        assert "lent" in answer and "xxxxxxxxxx" in answer, answer
        assert "yyyyyyyyyy" in answer.split(" | ")[1], answer
        artifact = deployment.database.value("SELECT artifact_id FROM tool_calls t JOIN jobs j ON j.id = t.job"
                                             " WHERE j.parent IS NOT NULL AND artifact_id IS NOT NULL")
        deployment.submit([job("b", f"read {artifact}")])
        deployment.wait_for_results(2, 60)
        assert "ARTIFACT_NOT_FOUND" in answer_of(deployment, "b"), "another conversation reads nothing of it"


CASES = [
    Case("sub-agents answer, are billed and resumed", answers_and_bill),
    Case("artifacts of a job and its sub-agents", artifacts_in_both_directions),
    Case("a killed worker's sub-agents go on in another", a_killed_worker),
    Case("a drained worker hands sub-agents back", a_drained_worker),
    Case("a cancelled job takes its sub-agents with it", a_cancelled_job),
    Case("a paused job's sub-agents wait with it", a_paused_job),
    *(Case(f"kill -9 with sub-agents at {point}, time {nth}", functools.partial(killed_at, point, nth, wasted))
      for point, nth, wasted in (POINTS if LARGE else POINTS[::2])),
]
