# SPDX-License-Identifier: Apache-2.0
"""Questions that hold a word of their tenant, job and round, which the scripted model and the query that it
asks for repeat (script.yaml); then each answer is compared with what the script must say, and no topic and no
table may show a word of one tenant beside another."""

import collections
import json
import re

from held import held_of
from rig.ownership import Ownership
from tenants import TENANTS

_OF_A_SKILL = re.compile(r'Skill .*"word":"([a-z]+-[a-z]+-\d+-\d+)"')
DEADLY = "deadly"  # of a job that ends whoever works on it


def make_job(tenant, number, kind, messages):
    """`kind` is how its questions begin: "effects", "plain" or DEADLY."""
    job_id = f"{DEADLY if kind == DEADLY else 'job'}-{number}"
    return {"tenant": tenant, "job_id": job_id,
            "messages": [f"{kind} {TENANTS[tenant]}-{job_id}-{i}" for i in range(messages)]}


def word_of(question):
    return question.rpartition(" ")[2]


def own_messages(job):
    """Without those of the rounds that a fork kept."""
    return job["messages"][job.get("rounds_kept", 0):]


def asides_of(job):
    """What the sub-agents of a job are asked."""
    return [f"aside {word_of(question)}" for question in own_messages(job) if question.startswith("effects ")]


def message_of(question):
    """The message of a job that a model was asked because of: what a skill brought comes from one."""
    brought = _OF_A_SKILL.match(question)
    return f"effects {brought.group(1)}" if brought else question


def _without_before(answer):
    return answer.rpartition(", before ")[0] + ", before nothing"


def _without_own_steps(answer):
    return re.sub(r"(read|kept) [\w-]+", r"\1 nothing", _without_before(answer))


class Words:
    """Of an installation at rest: `violations`."""

    def __init__(self, installation, jobs):
        self._database = installation.database
        # The query is the first call of a round; index 0 is the reply itself.
        self._failed = self._rounds_where("t.step = 1 AND t.idx = 1 AND t.state <> 'succeeded'")
        self._unread = self._rounds_where("t.tool_name = 'file_reader' AND t.state <> 'succeeded'")
        self._told = self._answers_told()
        self._asked = self._questions_asked()
        ownership = Ownership(TENANTS)
        self.violations = ownership.violations
        found = ownership.check_topics(installation)
        ownership.check_tables(self._database)
        self._check_answers(jobs, found["results"])

    def _check_answers(self, jobs, results):
        expected = self._expected(jobs)
        shortened, cut = self._rounds_with_less(), self._rounds_cut_themselves()
        for message in results:
            result = json.loads(message.value())
            key = (result["tenant"], result["job_id"])
            said = [answer["text"] for answer in result.get("answers", [])]
            right = expected.get(key, [])
            if result["outcome"] != "completed":
                right = right[:len(said)]
            right = [told if (*key, number) in shortened and told == _without_before(text)
                     or (*key, number) in cut and told == _without_own_steps(text) else text
                     for number, (text, told) in enumerate(zip(right, said))] + right[len(said):]
            if said != right:
                self.violations.append(f"{'/'.join(key)} answers {said}, right is {right}")

    def _expected(self, jobs):
        """The answers of each job. Those of one conversation run in the order in which they were sent, and what one
        asked stands before the next, also where it came to an end before its last question."""
        last = collections.defaultdict(lambda: "nothing")  # asked in a conversation
        began_after = {}
        answers = {}
        for job in jobs:
            tenant, job_id = job["tenant"], job["job_id"]
            talk = (tenant, job.get("conversation_id", job_id))
            forked = "forked_from" in job
            began_after[tenant, job_id] = began_after[tenant, job["forked_from"]] if forked else last[talk]
            answers[tenant, job_id] = self._answers_of(job, began_after[tenant, job_id])
            if asked := job["messages"][:self._asked.get((tenant, job_id), len(job["messages"]))]:
                last[talk] = word_of(asked[-1])
        return answers

    def _answers_of(self, job, before):
        """`before` is what was asked before its first question."""
        if held := held_of(job):
            return [held.answer()]
        kept = job.get("rounds_kept", 0)
        answers = [self._told.get((job["tenant"], job["forked_from"], number)) for number in range(kept)]
        words = [before, *map(word_of, job["messages"])]
        return answers + [self._answer(job, number, words[number]) for number in range(kept, len(job["messages"]))]

    def _answer(self, job, number, before):
        place = (job["tenant"], job["job_id"], number)
        word = word_of(job["messages"][number])
        read = "nothing" if place in self._failed else word
        kept = "nothing" if place in self._unread else TENANTS[job["tenant"]]
        kept = f"kept {kept}, " if job["messages"][0].startswith("effects ") else ""
        return f"asked {word}, read {read}, {kept}before {before}"

    def _answers_told(self):
        """By tenant, job and round."""
        return {(row["tenant"], row["job_id"], row["round"]): row["final_answer"] for row in self._database.rows(
            "SELECT j.tenant, j.job_id, r.round, r.final_answer FROM rounds r JOIN jobs j ON j.id = r.job")}

    def _questions_asked(self):
        """How many, by tenant and job, of those that did not come to all."""
        return {(row["tenant"], row["job_id"]): row["asked"] for row in self._database.rows(
            "SELECT j.tenant, j.job_id, (SELECT count(*) FROM rounds r WHERE r.job = j.id) AS asked FROM jobs j"
            " WHERE j.parent IS NULL AND j.outcome <> 'completed'")}

    def _rounds_with_less(self):
        """Rounds whose history had been made shorter: the one before may be gone from it."""
        return {(row["tenant"], row["job_id"], row["round"]) for row in self._database.rows(
            "SELECT j.tenant, j.job_id, r.round FROM compressions c JOIN jobs j ON j.id = c.job"
            " JOIN rounds r ON r.job = j.id WHERE r.round >= c.round")}

    def _rounds_cut_themselves(self):
        """Rounds whose own first steps may be gone: their history was made shorter when there were some."""
        return {(row["tenant"], row["job_id"], row["round"]) for row in self._database.rows(
            "SELECT j.tenant, j.job_id, c.round FROM compressions c JOIN jobs j ON j.id = c.job WHERE c.step > 1")}

    def _rounds_where(self, condition):
        """Those with such a call."""
        return {(row["tenant"], row["job_id"], row["round"]) for row in self._database.rows(
            "SELECT j.tenant, j.job_id, t.round FROM tool_calls t JOIN jobs j ON j.id = t.job WHERE " + condition)}
