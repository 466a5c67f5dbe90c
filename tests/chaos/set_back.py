# SPDX-License-Identifier: Apache-2.0
"""The database is set back to a base backup while results of later jobs are on their topic already. The
worker must read the lost records again, publish nothing twice, and say why it stops publishing."""

import collections
import json
import os
import shutil

from installation import Installation
from rig.jobs import as_json
from rig.postgres_server import PostgresServer
from rig.topics import read_all
from rig.waiting import wait_until
from words import make_job

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


def _set_back(installation, postgres, backup):
    installation.start_counting_worker()
    installation.submit(_jobs(0), as_json)
    installation.wait_for_results(JOBS, 60)
    postgres.back_up(backup)
    before = _shards(installation)
    installation.submit(_jobs(JOBS), as_json)
    installation.wait_for_results(2 * JOBS, 60)
    wait_until(lambda: not installation.database.value(
        "SELECT count(*) AS n FROM outbox WHERE published_at IS NULL"), 30, installation.explain)
    ahead = {shard for shard, batch in _shards(installation).items() if batch > before.get(shard, 0)}
    postgres.set_back(backup)

    assert ahead, "nothing was published after the backup: nothing was tried"
    everything = f"SELECT count(*) = {2 * JOBS} AS v FROM jobs WHERE state = 'finished'"
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


def database_is_set_back(stack, folder):
    postgres = PostgresServer(stack)
    backup = os.path.join(postgres.place, "backup")
    try:
        with Installation(stack, folder) as installation:
            _set_back(installation, postgres, backup)
    finally:
        shutil.rmtree(backup, ignore_errors=True)
