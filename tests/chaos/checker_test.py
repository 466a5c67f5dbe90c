# SPDX-License-Identifier: Apache-2.0
"""The checks find what is wrong: after a good run one thing after the other is spoilt."""

import json

import confluent_kafka

from crew import Kill
from installation import Installation
from rig.database import psql
from tally import Tally
from verdict import Verdict, jobs_never_taken_over
from words import TENANTS, make_job

NUMBERS = 2  # of the jobs of each tenant
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
# Words of another tenant. What is done to the ledger, and what must be said of it.
_MIXED_ROWS = (
    ("UPDATE ba.rounds SET final_answer = 'zebra-job-0-0' WHERE job ="
     " (SELECT min(id) FROM ba.jobs WHERE tenant = 'tenant-0')", "a row of rounds of tenant-0 shows zebra-job-0-0"),
    ("UPDATE ba.outbox SET record_value = 'quokka-job-1-0' WHERE id ="
     " (SELECT min(id) FROM ba.outbox WHERE record_key LIKE 'tenant-2/%')",
     "a row of outbox of tenant-2 shows quokka-job-1-0"),
    ("UPDATE ba.intake_offsets SET topic_id = 'marmot-job-0-0' WHERE topic_partition = 0",
     "a row of intake_offsets of nobody shows marmot-job-0-0"),
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


def _spoil_words(installation, jobs):
    """As a worker would that mixes up its jobs. Of each topic, and of the tables."""
    for statement, sentence in _MIXED_ROWS:
        psql(installation.database.url, statement)
        _expect(installation, jobs, sentence)
    for topic in ("results", "metrics", "progress", "dead_letters"):
        record = {"tenant": "tenant-1", "job_id": "job-0", "result_id": f"mixed on {topic}",
                  "answers": [{"text": "asked quokka-job-0-0, read zebra-job-0-0, before nothing"}]}
        installation.send([(b"tenant-1/job-0", json.dumps(record).encode(), [])], topic)
        _expect(installation, jobs, f"a record on {topic} of tenant-1 shows zebra-job-0-0")
    _expect(installation, jobs, "tenant-1/job-0 answers", "read zebra-job-0-0", "right is", "read quokka-job-0-0")
    swapped = [jobs[1], jobs[0], *jobs[2:]]  # both of one conversation: who came before is no longer so
    _expect(installation, swapped, "tenant-0/job-1 answers", "before marmot-job-0-0", "before nothing")


def _a_campaign_must_try_what_it_says():
    """What makes it fail although each of its runs is good."""
    def said(without_disk=False, refusal=None, recovery=(1.0,)):
        tally = Tally(without_disk)
        tally.disk_refusal, tally.recovery, tally.unmeasured = refusal, list(recovery), 2
        return tally.shortcomings(), "\n".join(tally.lines())

    found, lines = said()
    assert not found and "1 measured, 2 not" in lines, (found, lines)
    (found,), lines = said(refusal="not allowed")
    assert "no disk could be filled: not allowed" in found and "NOT POSSIBLE HERE: not allowed" in lines, found
    found, lines = said(without_disk=True)
    assert not found and "left out: --without-disk" in lines, (found, lines)
    (found,), lines = said(recovery=())
    assert "recovery was not measured: of 2 kills" in found and "0 measured, 2 not" in lines, (found, lines)


def _a_job_that_nobody_takes_over_is_told(installation):
    (worker,) = installation.workers
    assert not jobs_never_taken_over(installation, [Kill(worker.name, 0)])
    psql(installation.database.url, "UPDATE ba.attempts SET ending = 'crashed'")
    (said,) = jobs_never_taken_over(installation, [Kill(worker.name, 0), Kill("another", 0)])
    assert worker.name in said, said


def checks_find_what_is_wrong(stack, folder):
    _a_campaign_must_try_what_it_says()
    with Installation(stack, folder) as installation:
        installation.start_counting_worker()
        jobs = [make_job(tenant, i, "effects", 1) | {"conversation_id": "talk"}
                for tenant in TENANTS for i in range(NUMBERS)]
        installation.submit(jobs)
        installation.wait_for_results(len(jobs), 60)
        good = Verdict(installation, jobs, False)
        assert not good.violations, good.violations
        assert good.effects == {"keyed": 2 * len(jobs), "once": 2 * len(jobs), "pure": len(jobs)}, good.effects
        _spoil_effects(installation, jobs)
        _spoil_offsets(installation, jobs)
        _a_job_that_nobody_takes_over_is_told(installation)
        for statement, *words in _LEDGER:
            psql(installation.database.url, statement)
            _expect(installation, jobs, *words)
        _spoil_words(installation, jobs)
