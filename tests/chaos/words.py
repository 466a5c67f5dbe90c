# SPDX-License-Identifier: Apache-2.0
"""Questions that hold a word of their tenant, job and round, which the scripted model and the query that it
asks for repeat (script.yaml); then each answer is compared with what the script must say, and no topic and no
table may show a word of one tenant beside another."""

import collections
import json
import re

from rig.topics import read_all

TENANTS = {"tenant-0": "marmot", "tenant-1": "quokka", "tenant-2": "zebra"}
_WORD = re.compile(rf"({'|'.join(TENANTS.values())})-job-\d+-\d+")
_TENANT_OF = {animal: tenant for tenant, animal in TENANTS.items()}
_TOPICS = ("results", "metrics", "progress", "dead_letters")


def make_job(tenant, number, kind, messages):
    """`kind` is how its questions begin: "effects" or "plain"."""
    return {"tenant": tenant, "job_id": f"job-{number}",
            "messages": [f"{kind} {TENANTS[tenant]}-job-{number}-{i}" for i in range(messages)]}


def word_of(question):
    return question.rpartition(" ")[2]


def _readable(value):
    """Also of what PostgreSQL shows as hexadecimal digits."""
    if isinstance(value, str) and value.startswith("\\x"):
        return bytes.fromhex(value[2:]).decode("utf-8", "replace")
    return value if isinstance(value, str) else json.dumps(value)


class Words:
    """Of an installation at rest: `violations`."""

    def __init__(self, installation, jobs):
        self.violations = []
        self._database = installation.database
        names = {installation.topics[name]: name for name in _TOPICS}
        found = read_all(installation.stack.brokers, list(names))
        for topic, messages in found.items():
            for message in messages:
                self._check_record(names[topic], message)
        self._check_answers(jobs, found[installation.topics["results"]])
        self._check_tables()

    def _check_owner(self, place, tenant, text):
        for word in _WORD.finditer(text):
            owner = _TENANT_OF[word.group(1)]
            if owner != tenant:
                self.violations.append(f"{place} of {tenant or 'nobody'} shows {word.group()}, a word of {owner}")
                return

    def _check_record(self, name, message):
        value = message.value() or b""
        key = (message.key() or b"").decode("utf-8", "replace")
        try:
            tenant = json.loads(value).get("tenant") or key.partition("/")[0]
        except (ValueError, AttributeError):
            tenant = key.partition("/")[0]
        text = " ".join((key, value.decode("utf-8", "replace"), repr(message.headers())))
        self._check_owner(f"a record on {name}", tenant, text)

    def _check_answers(self, jobs, results):
        expected = self._expected(jobs)
        for message in results:
            result = json.loads(message.value())
            key = (result["tenant"], result["job_id"])
            said = [answer["text"] for answer in result.get("answers", [])]
            if said != expected.get(key):
                self.violations.append(f"{'/'.join(key)} answers {said}, right is {expected.get(key)}")

    def _expected(self, jobs):
        """The answers of each job. Those of one conversation run in the order in which they were sent."""
        failed = {(row["tenant"], row["job_id"], row["round"]) for row in self._database.rows(
            "SELECT j.tenant, j.job_id, t.round FROM tool_calls t JOIN jobs j ON j.id = t.job"
            " WHERE t.step = 1 AND t.idx = 0 AND t.state <> 'succeeded'")}
        before = collections.defaultdict(lambda: "nothing")
        answers = {}
        for job in jobs:
            key = (job["tenant"], job["job_id"])
            talk = (job["tenant"], job.get("conversation_id", job["job_id"]))
            answers[key] = []
            for number, word in enumerate(map(word_of, job["messages"])):
                read = "nothing" if (*key, number) in failed else word
                answers[key].append(f"asked {word}, read {read}, before {before[talk]}")
                before[talk] = word
        return answers

    def _check_tables(self):
        owners = {kind: {row["id"]: row["tenant"] for row in self._database.rows(f"SELECT id, tenant FROM {table}")}
                  for kind, table in (("job", "jobs"), ("conversation", "conversations"))}
        tables = self._database.rows("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'ba'")
        for table in (row["name"] for row in tables):
            for row in self._database.rows(f"SELECT * FROM {table}"):
                text = " ".join(map(_readable, row.values()))
                self._check_owner(f"a row of {table}", self._tenant_of(row, owners), text)

    @staticmethod
    def _tenant_of(row, owners):
        """Whose a row is; None for one that is nobody's, and then no word may be in it."""
        if "tenant" in row:
            return row["tenant"]
        for kind, tenants in owners.items():
            if row.get(kind) is not None:
                return tenants.get(row[kind])
        if row.get("record_key"):  # tenant/job or tenant/conversation
            return _readable(row["record_key"]).partition("/")[0]
        return None
