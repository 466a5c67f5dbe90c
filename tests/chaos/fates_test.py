# SPDX-License-Identifier: Apache-2.0
"""Whether the checks find what is wrong with jobs that end early; part of checker_test.py."""

import json

from effects import Effects
from fates import CANCEL_SECONDS, Fates
from histories import jobs_at_once, problem_of
from rig.database import psql

_ONE = "tenant = 'tenant-0' AND job_id = 'job-0'"
# What is done to one job, what undoes it, and a part of the violation.
_JOBS = (
    ("attempt = 2", "attempt = 1", "tenant-0/job-0 ended in attempt 2 after 0 crashes"),
    (f"request = 'cancel', requested_at = finished_at - interval '{CANCEL_SECONDS + 1} s'",
     "request = NULL, requested_at = NULL", f"tenant-0/job-0 went on for {CANCEL_SECONDS + 1}"),
    ("outcome = 'poisoned'", "outcome = 'completed'", "poisoned are [('tenant-0', 'job-0')], the dead letters []"),
)


class _Letter:
    """As it is read from its topic."""

    @staticmethod
    def value():
        return json.dumps({"tenant": "tenant-0", "job_id": "job-0", "code": "ATTEMPTS_EXHAUSTED"})


def _outcomes_follow_the_crashes():
    fates = Fates(3, {("a", "job-1")})
    for job, crashes, right in (
            ("job-0", 2, ("completed",)), ("job-0", 3, ("poisoned",)), ("job-1", 2, ("completed", "cancelled")),
            ("job-1", 3, ("poisoned", "cancelled")), ("deadly-0", 2, ()), ("deadly-0", 3, ("poisoned",))):
        said = fates.outcomes({"tenant": "a", "job_id": job}, {"crashes": crashes})
        assert said == right, f"{job} after {crashes} crashes: {said}"


def _endings_are_checked(database):
    fates = Fates(3)
    for change, back, sentence in _JOBS:
        psql(database.url, f"UPDATE ba.jobs SET {change} WHERE {_ONE}")
        found = fates.violations(database, [])
        assert any(sentence in violation for violation in found), f"not found: {sentence}, but {found}"
        psql(database.url, f"UPDATE ba.jobs SET {back} WHERE {_ONE}")
    assert not fates.violations(database, [])
    assert "poisoned are []" in fates.violations(database, [_Letter])[0]


def _a_call_that_failed_has_no_effect(installation):
    """Also where its job was cancelled."""
    def write(outcome, state):
        psql(installation.database.url, f"""
            UPDATE ba.jobs SET outcome = '{outcome}' WHERE {_ONE};
            UPDATE ba.tool_calls SET state = '{state}' WHERE tool_name LIKE 'effect\\_%' AND effect <> 'pure'
              AND job = (SELECT id FROM ba.jobs WHERE {_ONE})""")

    write("cancelled", "unknown")
    assert not Effects(installation).violations
    write("cancelled", "failed")
    found = Effects(installation).violations
    for effect in ("keyed", "once", "reconcilable"):
        assert any(effect in each and "failed, and had its effect" in each for each in found), (effect, found)
    write("completed", "succeeded")


def _a_round_that_was_given_up_is_answered_so_far():
    def message(kind, **data):
        return {"type": kind, "data": data}

    asked = [message("human"), message("ai", tool_calls=[{"id": "a"}])]
    assert "it goes from human to ai" in problem_of(asked, True)
    assert "it ends before ['a'] are answered" in problem_of(asked, False)
    answered = [*asked, message("tool", tool_call_id="a")]
    assert "it goes from human to tool" in problem_of(answered, True)
    assert problem_of(answered, False) is None


def _one_job_of_a_conversation_after_the_other(installation):
    later = f"UPDATE ba.jobs SET finished_at = finished_at {{}} interval '1 h' WHERE {_ONE}"
    assert not jobs_at_once(installation)
    psql(installation.database.url, later.format("+"))
    assert "tenant-0/job-1 was answered before job-0 of its conversation had ended" in jobs_at_once(installation)
    psql(installation.database.url, later.format("-"))


def fates_are_checked(installation):
    _outcomes_follow_the_crashes()
    _endings_are_checked(installation.database)
    _a_call_that_failed_has_no_effect(installation)
    _a_round_that_was_given_up_is_answered_so_far()
    _one_job_of_a_conversation_after_the_other(installation)
