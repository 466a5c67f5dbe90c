# SPDX-License-Identifier: Apache-2.0
"""The database is set back to a base backup while results of later jobs are on their topic already. The
worker must read the lost records again, publish nothing twice, and say why it stops publishing. Of what was
done in the lost time no ledger knows, so it is done once more; all else must hold as ever."""

import collections
import json
import os
import shutil

from effects import Effects, read_journal
from histories import invalid_histories
from installation import Installation
from rig.jobs import as_json
from rig.postgres_server import PostgresServer
from rig.topics import read_all
from rig.waiting import wait_until
from verdict import offsets_ahead
from words import Words, make_job

JOBS = 24
_STOPPED = "SELECT shard, stopped_reason FROM outbox_shards WHERE stopped_reason IS NOT NULL"


def _jobs(first):
    return [make_job("tenant-0", i, "effects", 1) for i in range(first, first + JOBS)]


def _results(installation):
    """How often each result is there, for a reader of committed records."""
    topic = installation.topics["results"]
    messages = read_all(installation.stack.brokers, [topic])[topic]
    return collections.Counter(json.loads(message.value())["result_id"] for message in messages)


def _shards(installation):
    return {row["shard"]: row["published_batch"] for row in installation.database.rows(
        "SELECT shard, published_batch FROM outbox_shards")}


class _Moment:
    """What there is at one moment, with no job under way: effects, and calls that were paid for."""

    def __init__(self, installation):
        self.effects = len(read_journal(installation))
        self.paid = sum(installation.model.paid_calls().values())


def _unsound(installation, backup, set_back):
    """What doesn't hold at the end, beside publishing. Whatever came between the two moments is lost."""
    journal = read_journal(installation)
    lost = journal[backup.effects:set_back.effects]
    again = journal[set_back.effects:]
    found = Effects(installation, journal[:backup.effects] + again).violations
    found += invalid_histories(installation) + offsets_ahead(installation)
    found += Words(installation, _jobs(0) + _jobs(JOBS)).violations
    # So that a receiver who remembers the keys takes the second time for what it is.
    keys, keys_again = ({entry["key"] for entry in entries if entry["class"] == "keyed"} for entries in (lost, again))
    if keys != keys_again or len(keys) != 3 * JOBS:
        found.append(f"keyed calls of the lost time: {len(keys)} keys, {len(keys & keys_again)} of them came again")
    database = installation.database
    read = database.value("SELECT coalesce(sum(next_offset), 0) AS n FROM intake_offsets")
    if read != installation.records_sent:
        found.append(f"{installation.records_sent} records were sent, the ledger's offsets say {read}")
    recorded = database.value("SELECT (SELECT count(*) FROM steps)"
                              " + (SELECT coalesce(sum(calls), 0) FROM wasted_model_calls) AS n")
    paid = sum(installation.model.paid_calls().values()) - (set_back.paid - backup.paid)
    # Of a worker that lost its lease, on a busy machine, one may be recorded that had not left yet.
    ended = database.value("SELECT count(*) AS n FROM attempts WHERE ending <> 'finished'")
    if not paid <= recorded <= paid + ended:
        found.append(f"{paid} calls paid outside of the lost time, {recorded} recorded")
    return found


def _set_back(installation, postgres, backup):
    installation.start_counting_worker()
    installation.submit(_jobs(0), as_json)
    installation.wait_for_results(JOBS, 60)
    at_backup = _Moment(installation)
    postgres.back_up(backup)
    before = _shards(installation)
    installation.submit(_jobs(JOBS), as_json)
    installation.wait_for_results(2 * JOBS, 60)
    wait_until(lambda: not installation.database.value(
        "SELECT count(*) AS n FROM outbox WHERE published_at IS NULL"), 30, installation.explain)
    ahead = {shard for shard, batch in _shards(installation).items() if batch > before.get(shard, 0)}
    at_set_back = _Moment(installation)
    postgres.set_back(backup)

    assert ahead, "nothing was published after the backup: nothing was tried"
    everything = f"SELECT count(*) = {2 * JOBS} AS v FROM jobs WHERE state = 'finished' AND parent IS NULL"
    wait_until(lambda: installation.database.try_value(everything), 90,
               lambda: f"the lost jobs are read and run again: {installation.explain()}")
    wait_until(lambda: {row["shard"] for row in installation.database.rows(_STOPPED)} == ahead, 60,
               lambda: f"the shards {ahead} are stopped: {installation.explain()}")
    for row in installation.database.rows(_STOPPED):
        assert "earlier" in row["stopped_reason"], f"shard {row['shard']}: {row['stopped_reason']}"
    doubled = {result: count for result, count in _results(installation).items() if count > 1}
    assert not doubled, f"results that are there more than once: {doubled}"
    assert len(_results(installation)) == 2 * JOBS
    said = [worker for worker in installation.workers if "outbox shard stopped" in worker.tail(100000)]
    assert said, "no worker said that a shard stopped"
    violations = _unsound(installation, at_backup, at_set_back)
    assert not violations, "\n".join(violations)
    assert Effects(installation).violations, "nothing of the lost time was done again: nothing was tried"


def database_is_set_back(stack, folder):
    postgres = PostgresServer(stack)
    backup = os.path.join(postgres.place, "backup")
    try:
        with Installation(stack, folder) as installation:
            _set_back(installation, postgres, backup)
    finally:
        shutil.rmtree(backup, ignore_errors=True)
