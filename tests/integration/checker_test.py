# SPDX-License-Identifier: Apache-2.0
"""The checker that all others rely on finds what is wrong: after a good run, one thing after the other
is spoilt."""

from case import Case
from rig.database import psql
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.topics import read_all

# What is done to the ledger, and a word of the violation that must be found. Each job is spoilt once.
SPOILT = (
    ("UPDATE ba.jobs SET result = 'other' WHERE job_id = 'job-0'", "bytes are not the ledger's"),
    ("DELETE FROM ba.steps WHERE job = (SELECT id FROM ba.jobs WHERE job_id = 'job-1')", "calls paid"),
    ("UPDATE ba.tool_calls SET message = '{}'"
     " WHERE job = (SELECT id FROM ba.jobs WHERE job_id = 'job-2')", "observations"),
    ("UPDATE ba.intake_offsets SET next_offset = next_offset + 1", "offsets say"),
)


def expect_violation(deployment, jobs, word):
    found = Exactness(deployment, jobs).violations
    assert any(word in violation for violation in found), f"not found: {word}, but {found}"


def checker_finds_what_is_wrong(lab):
    jobs = [bench_job(f"job-{i}", messages=2) for i in range(4)]
    with lab.deployment() as deployment:
        deployment.start_worker()
        deployment.submit(jobs)
        deployment.wait_for_results(len(jobs), 60)
        Exactness(deployment, jobs).expect_good()
        expect_violation(deployment, [*jobs, bench_job("lost")], "missing [('rig', 'lost')]")
        for statement, word in SPOILT:
            psql(deployment.database.url, statement)
            expect_violation(deployment, jobs, word)
        topic = deployment.topics["results"]
        again = read_all(deployment.stack.brokers, [topic])[topic][0]
        deployment.send([(again.key(), again.value(), again.headers())], "results")
        expect_violation(deployment, jobs, "more than one result")


CASES = [Case("the checker finds what is wrong", checker_finds_what_is_wrong)]
