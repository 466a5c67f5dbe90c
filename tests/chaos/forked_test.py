# SPDX-License-Identifier: Apache-2.0
"""Whether the checks find what is wrong with forks; part of checker_test.py."""

from forked import Forked
from rig.database import psql
from skilled import Skilled
from words import own_messages

_FORK = "(SELECT id FROM ba.jobs WHERE job_id = 'fork-0')"
_TALK = "(SELECT conversation FROM ba.jobs WHERE job_id = 'fork-0')"
# What is done to the fork, what undoes it, and a part of the violation.
_SPOILT = (
    (f"UPDATE ba.rounds SET message = replace(message::text, '-0-0', '-0-9')::json WHERE job = {_FORK} AND round = 0",
     f"UPDATE ba.rounds SET message = replace(message::text, '-0-9', '-0-0')::json WHERE job = {_FORK} AND round = 0",
     "has not its rounds"),
    (f"UPDATE ba.skill_uses SET depth = depth + 1 WHERE job = {_FORK} AND round = 0",
     f"UPDATE ba.skill_uses SET depth = depth - 1 WHERE job = {_FORK} AND round = 0", "has not the skills in them"),
    (f"INSERT INTO ba.inherited_messages (conversation, n, message) SELECT {_TALK}, 1, message FROM ba.rounds LIMIT 1",
     f"DELETE FROM ba.inherited_messages WHERE conversation = {_TALK}", "has not what went before"),
    ("UPDATE ba.redrives SET from_round = 0", "UPDATE ba.redrives SET from_round = 1",
     "('tenant-0', 'fork-0', 'job-0', 1) was made, and is not there"),
    ("UPDATE ba.redrives SET new_job_id = 'job-1'", "UPDATE ba.redrives SET new_job_id = 'fork-0'",
     "('tenant-0', 'job-1', 'job-0', 1) is there, and nobody was told of it"),
)


def fork_one(installation, origin):
    """As Forker has it: with another round."""
    kept = len(origin["messages"])
    question = origin["messages"][0].replace("-job-0-0", f"-fork-0-{kept}")
    installation.answer("job", "fork", origin["job_id"], "--tenant", origin["tenant"], "--round", str(kept), "--message",
                        question, "--as", "fork-0", "--by", "chaos")
    return {"tenant": origin["tenant"], "job_id": "fork-0", "conversation_id": "job:fork-0",
            "messages": [*origin["messages"], question], "forked_from": origin["job_id"], "rounds_kept": kept}


def forks_are_checked(installation, jobs):
    url = installation.database.url
    forks = [job for job in jobs if "forked_from" in job]
    for statement, back, word in _SPOILT:
        assert not Forked(installation, forks).violations
        psql(url, statement)
        said = Forked(installation, forks).violations
        assert any(word in violation for violation in said), f"not found: {word}, but {said}"
        psql(url, back)
    assert own_messages(forks[0]) == forks[0]["messages"][1:]
    _skills_end_with_their_round(installation)


def _skills_end_with_their_round(installation):
    """What was refused under a skill of the kept round would be refused in the next one, too."""
    change = "UPDATE ba.skill_uses SET round = 1 - round WHERE job = " + _FORK
    psql(installation.database.url, change.replace("1 - round", "7 + round"))
    said = Skilled(installation).violations
    assert any("was refused though no skill is active" in violation for violation in said), said
    psql(installation.database.url, change.replace("1 - round", "round - 7"))
    assert not Skilled(installation).violations
