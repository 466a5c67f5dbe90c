# SPDX-License-Identifier: Apache-2.0
"""The checks find what is wrong: after a good run one thing after the other is spoilt."""

import json

import confluent_kafka

from installation import Installation
from rig.database import psql
from verdict import Verdict

JOBS = 3
# What is done to the effect journal's first line of a class, and a word of the violation.
_EFFECTS = (
    ("once", lambda line: [line, line], "had its effect 2 times"),
    ("once", lambda line: [], "succeeded without its effect"),
    ("keyed", lambda line: [line, line | {"key": "another"}], "ran with the keys"),
    ("keyed", lambda line: [line, line | {"job": 99999}], "knows no such call"),
)
_LEDGER = (
    ("UPDATE ba.tool_calls SET state = 'failed' WHERE (job, round, step, idx) ="
     " (SELECT job, round, step, idx FROM ba.tool_calls WHERE effect = 'keyed' LIMIT 1)", "call", "is failed"),
    ("UPDATE ba.tool_calls SET message = replace(message::text, tool_call_id, 'other')::json WHERE (job, round, step,"
     " idx) = (SELECT job, round, step, idx FROM ba.tool_calls LIMIT 1)", "round", "is not due"),
    ("DELETE FROM ba.steps WHERE (job, round, step) = (SELECT job, round, step FROM ba.steps"
     " ORDER BY step DESC LIMIT 1)", "round", "it goes from"),
)


def _expect(installation, jobs, *words):
    found = Verdict(installation, jobs, False).violations
    assert any(all(word in violation for word in words) for violation in found), f"not found: {words}, but {found}"


def _spoil_effects(installation, jobs):
    with open(installation.journal, encoding="utf-8") as file:
        good = [json.loads(line) for line in file]
    for effect, change, word in _EFFECTS:
        at = next(i for i, line in enumerate(good) if line["class"] == effect)
        spoilt = good[:at] + change(good[at]) + good[at + 1:]
        with open(installation.journal, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in spoilt)
        _expect(installation, jobs, word)
    with open(installation.journal, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in good)


def _spoil_offsets(installation, jobs):
    """As a consumer would that commits what it has not stored."""
    (worker,) = installation.workers
    worker.terminate()
    worker.wait(20)
    group = confluent_kafka.Consumer({"bootstrap.servers": installation.stack.brokers,
                                      "group.id": installation.prefix, "log_level": 0})
    try:
        group.commit(offsets=[confluent_kafka.TopicPartition(installation.topics["jobs"], p, 1000)
                              for p in range(3)], asynchronous=False)
    finally:
        group.close()
    _expect(installation, jobs, "offset 1000 is committed")


def checks_find_what_is_wrong(stack, folder):
    with Installation(stack, folder) as installation:
        installation.start_counting_worker()
        jobs = [{"tenant": "tenant", "job_id": f"job-{i}", "messages": [f"effects job-{i} 0"]} for i in range(JOBS)]
        installation.submit(jobs)
        installation.wait_for_results(JOBS, 60)
        good = Verdict(installation, jobs, False)
        assert not good.violations, good.violations
        assert good.effects == {"keyed": 2 * JOBS, "once": 2 * JOBS, "pure": JOBS}, good.effects
        _spoil_effects(installation, jobs)
        _spoil_offsets(installation, jobs)
        for statement, *words in _LEDGER:
            psql(installation.database.url, statement)
            _expect(installation, jobs, *words)
