# SPDX-License-Identifier: Apache-2.0
"""Answers that must fit a schema: kill -9 between one that doesn't and the next, and from the command line."""

import functools
import json
import os

from case import Case
from rig.exactness import Exactness
from rig.waiting import wait_until

SIGKILLED = -9
SCHEMA = {"type": "object", "properties": {"flights": {"type": "integer"}}, "required": ["flights"]}
SCRIPT = r"""
entries:
  - when: How many flights?
    then: [{text: '336776 flights'}]
  - when: {regex: 'it is not one JSON value'}
    then: [{text: '{"flights": "336776"}'}]
  - when: {regex: 'flights: "(\d+)" is there; it must be of type integer'}
    then: [{text: '{"flights": {{match.1}} }', delay_ms: 300}]
"""
JOB = {"tenant": "rig", "job_id": "counted", "messages": ["How many flights?"], "answer_schema": SCHEMA}
REQUESTS = "SELECT message->'data'->>'content' AS text FROM messages WHERE step > 0 AND idx = 1 ORDER BY step"
ANSWER = '{"flights":336776}'


def deployment_of(lab):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    return lab.deployment(scripts=[script])


def killed_between(point, wasted, lab):
    """The request for a better answer is made once, and nothing that was paid is asked again."""
    with deployment_of(lab) as deployment:
        worker = deployment.start_worker(crash_at=point)
        deployment.submit([JOB])
        code = worker.wait(60)
        assert code == SIGKILLED, f"exit code {code}, not killed at {point}: {worker.tail()}"
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        requests = [row["text"] for row in deployment.database.rows(REQUESTS)]
        exact = Exactness(deployment, [JOB], asides=lambda job: set(requests))
        exact.expect_good()
        assert exact.wasted == wasted, f"{exact.wasted} calls recorded as wasted, {wasted} expected"
        assert len(requests) == 2 and 'flights: "336776" is there' in requests[1], requests
        assert deployment.database.value("SELECT final_answer FROM rounds") == ANSWER
        assert deployment.database.value("SELECT count(*) AS n FROM steps") == 3
        assert deployment.database.value("SELECT attempt FROM jobs") == 2
        shown = deployment.run("show", "counted", "--tenant", "rig", "--full")
        assert shown.count("  hidden") == 2 and shown.count("  user") == 1, shown


def from_the_command_line(lab):
    with deployment_of(lab) as deployment:
        schema = os.path.join(lab.folder, "schema.json")
        with open(schema, "w", encoding="utf-8") as file:
            json.dump(SCHEMA, file, indent=2)
        submit = ("submit", "--tenant", "rig", "--job-id", "counted", "--answer-schema", schema)
        deployment.start_worker()
        said, _ = deployment.answer(*submit, "How many flights?", "--wait")
        assert said == ANSWER + "\n", said
        deployment.records_sent += 1
        (result,) = map(json.loads, deployment.run("results", "--json").splitlines())
        assert result["answers"] == [{"round": 0, "text": ANSWER}], result
        (again,) = map(json.loads, deployment.run(*submit, "How many flights?", "--wait", "--json").splitlines())
        assert again["answers"] == result["answers"], again
        with open(schema, "w", encoding="utf-8") as file:
            file.write('{"$ref": "https://example.org/schema.json"}')
        _, why = deployment.answer(*submit, "How many flights?", code=1)
        assert "schema.json: answer_schema: $ref" in why and "leads out of the schema" in why, why
        deployment.submit([JOB | {"job_id": "wrong", "answer_schema": {"type": "text"}}])
        wait_until(lambda: deployment.database.try_value("SELECT count(*) AS n FROM dead_letters"), 30,
                   deployment.explain)
        listed = deployment.run("dlq", "list", "--json")
        assert '"INVALID_FIELD"' in listed and '"answer_schema"' in listed, listed


CASES = [
    Case("kill -9 when a request for a better answer is durable",
         functools.partial(killed_between, "step_committed:1", 1)),
    Case("kill -9 while a better answer is waited for",
         functools.partial(killed_between, "model_in_flight:1", 1)),
    Case("kill -9 when a second bad answer has come and is not written",
         functools.partial(killed_between, "reply_received:2", 1)),
    Case("answers of a schema from the command line", from_the_command_line),
]
