# SPDX-License-Identifier: Apache-2.0
"""What must hold for every job once the dust has settled, whatever was killed on the way."""

import collections
import json

from .database import DatabaseError
from .topics import read_all
from .waiting import wait_until

# What a job and its sub-agents come to; `own_steps` are the job's alone.
_JOBS = """
SELECT j.tenant, j.job_id, j.state, j.outcome, j.result_id, j.attempt, j.claims,
  encode(j.result, 'hex') AS result, j.error_message, family.cancelled,
  (SELECT count(*) FROM steps s WHERE s.job = j.id) AS own_steps,
  (SELECT count(*) FROM steps s WHERE s.job = ANY (family.ids) AND NOT s.copied) AS steps,
  (SELECT coalesce(sum(w.calls), 0) FROM wasted_model_calls w WHERE w.job = ANY (family.ids)) AS wasted,
  (SELECT count(*) FROM summaries y WHERE y.job = ANY (family.ids) AND y.state = 'lost') AS summaries_lost,
  (SELECT count(*) FROM attempts a WHERE a.job = j.id AND a.ending = 'crashed') AS crashes,
  (SELECT count(*) FROM attempts a WHERE a.job = ANY (family.ids) AND a.ending IN ('crashed', 'handed_back')) AS given_up,
  (SELECT count(*) FROM rounds r WHERE r.job = j.id AND r.status = 'completed') AS rounds,
  (SELECT count(*) FROM tool_calls t WHERE t.job = ANY (family.ids) AND t.finished_at IS NULL) AS open_calls,
  (SELECT count(*) FROM messages m WHERE m.job = ANY (family.ids) AND m.message->>'type' = 'tool') AS observations,
  (SELECT count(*) FROM tool_calls t WHERE t.job = ANY (family.ids)) AS tool_calls
FROM jobs j CROSS JOIN LATERAL (
  SELECT array_agg(f.id) AS ids, count(*) FILTER (WHERE f.outcome = 'cancelled') AS cancelled
  FROM jobs f WHERE f.id = j.id OR f.parent = j.id) AS family
WHERE j.parent IS NULL"""


class Exactness:
    """The state of a deployment after `jobs` were submitted, compared with what must hold. `outcome` is that
    of each, or a function of a job and its row that says which are right. Where the network to the model
    was broken, `requests_lost`, a call may be recorded as wasted that nobody received. `asides` are what the
    sub-agents of a job are asked, beside its own messages; `message_of` is the message of a job, or an aside, that a question to the model belongs to; `paid` are the calls that
    another model than the deployment's was paid, by question. Of a fork `rounds_kept` are its
    origin's, and were paid there."""

    def __init__(self, deployment, jobs, outcome="completed", requests_lost=False, asides=lambda job: (),
                 message_of=lambda question: question, paid=None):
        self.violations = []
        self._asides = asides
        self._outcomes = outcome if callable(outcome) else lambda job, row: (outcome,)
        self._requests_lost = requests_lost
        self._settle(deployment)
        self.rows = {(r["tenant"], r["job_id"]): r for r in deployment.database.rows(_JOBS)}
        topics = deployment.topics
        found = read_all(deployment.stack.brokers, [topics[t] for t in ("results", "metrics", "dead_letters")])
        self.results = self._by_job(found[topics["results"]], "result")
        self.dead_letters = found[topics["dead_letters"]]
        metrics = self._by_job(found[topics["metrics"]], "metrics report")
        self._check_intake(deployment)
        self._check_outbox(deployment)
        submitted = {(job["tenant"], job["job_id"]): job for job in jobs}
        self._expect("jobs in the ledger", set(self.rows), set(submitted))
        self._expect("jobs with a result", set(self.results), set(submitted))
        self._expect("jobs with a metrics report", set(metrics), set(submitted))
        by_message = collections.Counter()
        for question, calls in (deployment.model.paid_calls() if paid is None else paid).items():
            by_message[message_of(question)] += calls
        for key, job in submitted.items():
            if key in self.rows and key in self.results:
                self._check_job(job, self.rows[key], self.results[key], by_message)

    def expect_good(self):
        if self.violations:
            shown = "\n  ".join(self.violations[:20])
            raise AssertionError(f"{len(self.violations)} violations:\n  {shown}")

    @property
    def wasted(self):
        return sum(row["wasted"] for row in self.rows.values())

    def _wrong(self, text):
        self.violations.append(text)

    def _expect(self, what, seen, wanted):
        if seen != wanted:
            self._wrong(f"{what}: missing {sorted(wanted - seen)[:5]}, too many {sorted(seen - wanted)[:5]}")

    @staticmethod
    def _settle(deployment):
        """Until what was published is also marked so."""
        def settled():
            return deployment.database.try_value(
                "SELECT NOT EXISTS (SELECT FROM outbox WHERE published_at IS NULL)"
                " AND NOT EXISTS (SELECT FROM outbox_shards WHERE assigned_batch <> published_batch) AS v")
        try:
            wait_until(settled, 20, lambda: f"the outbox is empty; {deployment.explain()}")
        except DatabaseError as error:
            raise AssertionError(str(error)) from error

    def _by_job(self, messages, kind):
        found = {}
        ids = collections.Counter()
        for message in messages:
            value = json.loads(message.value())
            key = (value["tenant"], value["job_id"])
            ids[value["result_id"]] += 1
            if key in found:
                self._wrong(f"{key}: more than one {kind}")
            if message.key() != "/".join(key).encode():
                self._wrong(f"{key}: its {kind} has the key {message.key()}")
            found[key] = message
        for result_id, count in ids.items():
            if count > 1:
                self._wrong(f"{kind} {result_id} is there {count} times")
        return found

    def _check_intake(self, deployment):
        read = deployment.database.value("SELECT coalesce(sum(next_offset), 0) AS n FROM intake_offsets")
        if read != deployment.records_sent:
            self._wrong(f"{deployment.records_sent} records were sent, the ledger's offsets say {read}")

    def _check_outbox(self, deployment):
        rows = deployment.database.value("SELECT count(*) AS n FROM outbox")
        published = 2 * len(self.rows) + len(self.dead_letters)
        if rows != published:
            self._wrong(f"the outbox has {rows} rows, {published} belong to results and dead letters")

    def _check_job(self, job, row, message, paid):
        name = f"{row['tenant']}/{row['job_id']}"
        result = json.loads(message.value())
        if row["state"] != "finished" or row["outcome"] not in self._outcomes(job, row):
            self._wrong(f"{name}: {row['state']}, {row['outcome']}: {row['error_message']}")
        if bytes.fromhex(row["result"] or "") != message.value():
            self._wrong(f"{name}: the published bytes are not the ledger's")
        if row["outcome"] == "completed" and row["rounds"] != len(job["messages"]):
            self._wrong(f"{name}: {row['rounds']} rounds completed of {len(job['messages'])}")
        if row["open_calls"] or row["observations"] != row["tool_calls"]:
            self._wrong(f"{name}: {row['tool_calls']} tool calls, {row['observations']} observations,"
                        f" {row['open_calls']} open")
        if (int(result.get("steps", 0)), int(result.get("wasted_model_calls", 0))) != (row["own_steps"], row["wasted"]):
            self._wrong(f"{name}: the result says {result.get('steps')} steps and"
                        f" {result.get('wasted_model_calls')} wasted, the ledger {row['own_steps']} and {row['wasted']}")
        asked = job["messages"][job.get("rounds_kept", 0):]
        self._check_paid(name, row, sum(paid[question] for question in (*asked, *self._asides(job))))

    def _check_paid(self, name, row, paid):
        """A crash, or a hand-back or a cancellation that gave a call up, before the request had left is counted
        as if it had: at most one for each."""
        recorded = row["steps"] + row["wasted"] - row["summaries_lost"]
        given_up = row["given_up"] + row["cancelled"]
        too_many = row["wasted"] if self._requests_lost else given_up
        if not paid <= recorded <= paid + too_many:
            self._wrong(f"{name}: {paid} calls paid, {row['steps']} persisted and {row['wasted']} recorded as"
                        f" wasted, {row['summaries_lost']} of them summaries, after {row['given_up']} crashes and hand-backs")
