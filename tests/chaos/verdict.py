# SPDX-License-Identifier: Apache-2.0
"""Everything that must hold of an installation once all faults are healed and all jobs have ended."""

import collections

import confluent_kafka

from bookings import Bookings
from effects import Effects
from fates import Fates
from forked import Forked
from held import held_of
from histories import invalid_histories, jobs_at_once
from imported import Imported
from kept_results import KeptResults
from notes import Notes
from rig.exactness import Exactness
from rig.waiting import wait_until
from skilled import Skilled
from summaries import Summaries
from versions import Versions
from words import Words, asides_of, message_of

# The first durable step of a job after it was taken from a dead incarnation, by the dead worker's name. One that
# ends its next worker, too, comes to none.
_TAKEN_OVER = """
SELECT i.worker, extract(epoch FROM min(least(
    (SELECT min(s.replied_at) FROM steps s WHERE s.job = n.job AND s.replied_at >= n.started_at),
    (SELECT min(t.finished_at) FROM tool_calls t WHERE t.job = n.job AND t.finished_at >= n.started_at),
    (SELECT min(t.started_at) FROM tool_calls t WHERE t.job = n.job AND t.started_at >= n.started_at),
    (SELECT min(r.opened_at) FROM rounds r WHERE r.job = n.job AND r.opened_at >= n.started_at),
    (SELECT j.finished_at FROM jobs j WHERE j.id = n.job AND j.finished_at >= n.started_at)))) AS at
FROM incarnations i JOIN attempts a ON a.incarnation = i.id AND a.ending = 'crashed'
  JOIN attempts n ON n.job = a.job AND n.claim = a.claim + 1
  JOIN jobs d ON d.id = a.job AND NOT starts_with(d.job_id, 'deadly')
WHERE i.id = (SELECT max(l.id) FROM incarnations l WHERE l.worker = i.worker)
GROUP BY i.worker"""


def recovery_seconds(installation, kills):
    """From a kill to the first durable step of one of its jobs elsewhere. None for a worker without jobs."""
    at = {row["worker"]: row["at"] for row in installation.database.rows(_TAKEN_OVER)}
    return [at[kill.worker] - kill.at if at.get(kill.worker) else None for kill in kills]


def met_no_job(installation, kill):
    """Whether others know of this kill, and none of them has a job to take over: its recovery can't be told."""
    return installation.database.try_value(
        f"SELECT count(*) AS n FROM incarnations i WHERE i.worker = '{kill.worker}' AND i.state <> 'alive'"
        " AND i.id = (SELECT max(l.id) FROM incarnations l WHERE l.worker = i.worker) AND NOT EXISTS"
        " (SELECT 1 FROM attempts a WHERE a.incarnation = i.id AND a.ending = 'crashed')")


def jobs_never_taken_over(installation, kills):
    """A line for each of these kills, whose recovery can not be told, that met a job all the same."""
    crashed = {row["worker"] for row in installation.database.rows(
        "SELECT i.worker FROM incarnations i JOIN attempts a ON a.incarnation = i.id AND a.ending = 'crashed'"
        " JOIN jobs j ON j.id = a.job AND NOT starts_with(j.job_id, 'deadly')")}
    return [f"{kill.worker} was killed with a job that nobody took over"
            for kill in kills if kill.worker in crashed]


def _committed(group, partitions):
    """None while the group's coordinator is being found."""
    try:
        return group.committed(partitions, timeout=10)
    except confluent_kafka.KafkaException:
        return None


def offsets_ahead(installation):
    """Offsets that Kafka was told before the ledger had the records."""
    known = {(row["topic"], row["topic_partition"]): row["next_offset"] for row in installation.database.rows(
        "SELECT topic, topic_partition, max(next_offset) AS next_offset FROM intake_offsets GROUP BY 1, 2")}
    group = confluent_kafka.Consumer({"bootstrap.servers": installation.stack.brokers,
                                      "group.id": installation.prefix, "log_level": 0})
    try:
        asked = [confluent_kafka.TopicPartition(topic, partition) for topic, partition in known]
        committed = wait_until(lambda: _committed(group, asked), 60, "the group's offsets can be asked for")
    finally:
        group.close()
    return [f"{p.topic}/{p.partition}: offset {p.offset} is committed, the ledger has"
            f" {known[(p.topic, p.partition)]}" for p in committed if p.offset > known[(p.topic, p.partition)]]


class Verdict:
    """`violations`, and what the run amounted to. `cancelled` are the jobs that were to be. Forks are among the jobs, and
    each conversation that somebody was told to be imported has one that goes on with it."""

    def __init__(self, installation, jobs, requests_lost, cancelled=()):
        fates = Fates(installation.attempts_max, cancelled)
        exact = Exactness(installation, jobs, fates.outcomes, requests_lost, asides_of, message_of)
        effects = Effects(installation)
        bookings = Bookings(installation)
        notes = Notes(installation)
        skilled = Skilled(installation)
        kept = KeptResults(installation)
        summaries = Summaries(installation)
        imported = Imported(installation, [held for held in map(held_of, jobs) if held])
        forked = Forked(installation, [job for job in jobs if "forked_from" in job])
        versions = Versions(installation)
        database = installation.database
        left = database.rows("SELECT job_id, state FROM jobs WHERE state <> 'finished'")
        stopped = database.rows("SELECT shard, stopped_reason FROM outbox_shards WHERE stopped_reason IS NOT NULL")
        self.violations = exact.violations + effects.violations + bookings.violations + notes.violations
        self.violations += kept.violations + summaries.violations + skilled.violations
        self.violations += imported.violations + forked.violations
        self.violations += fates.violations(database, exact.dead_letters)
        self.violations += invalid_histories(installation) + jobs_at_once(installation) + versions.violations
        self.violations += Words(installation, jobs).violations
        self.violations += offsets_ahead(installation)
        self.violations += [f"{row['job_id']} is still {row['state']}" for row in left]
        self.violations += [f"outbox shard {row['shard']} stopped: {row['stopped_reason']}" for row in stopped]
        self.jobs = len(jobs)
        self.cancelled = sum(row["outcome"] == "cancelled" for row in exact.rows.values())
        self.poisoned = fates.poisoned
        self.version_changed = versions.changed
        self.paid = sum(installation.model.paid_calls().values())
        self.wasted = exact.wasted
        self.crashes = sum(row["crashes"] for row in exact.rows.values())
        self.effects = effects.runs + collections.Counter(booked=bookings.count, noted=notes.count)
        self.skilled = skilled.counts
        self.kept = kept.counts
        self.summaries = summaries.counts
        self.imported = imported.count
        self.forked = forked.counts
        self.sub_agents = database.value("SELECT count(*) AS n FROM jobs WHERE parent IS NOT NULL")
        self.sub_agents_went_on = database.value(
            "SELECT count(*) AS n FROM jobs WHERE parent IS NOT NULL AND claims > 1")
        self.unknown = effects.unknown + bookings.unknown + notes.unknown + skilled.unknown
