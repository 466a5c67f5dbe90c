# SPDX-License-Identifier: Apache-2.0
"""What a round costs, counted and not timed: statements, round trips, transactions, rows and bytes. One job runs at a
time, so nothing is grouped with another's, and each count is the highest that there is. The ledger is on a PostgreSQL of
this test alone. A change that makes a round dearer fails here; one that makes it cheaper lowers the limit."""

import contextlib
import copy
import os
import re
import signal

from case import Case
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.own_postgres import DEBIAN, OwnPostgres
from rig.postgres_wire import PostgresWire
from rig.urls import by_way_of, place_of
from rig.waiting import wait_until

JOBS = 50
JOB_ROUNDS = 10
# At most, of each: this table is all there is to change when the ledger does less.
LIMITS = {
    "transactions a round": 3,
    "statements a round": 12.5,
    "round trips a round": 3,  # of each of its transactions one: BEGIN, the fence, the rows, COMMIT
    "bytes sent a round": 8400,
    "bytes of WAL a round": 6400,
    "bytes stored a round": 7200,
    "rows inserted a round": 4,  # the round, two replies, a call
    "rows updated a round": 2,  # the call's result, the round's end
    "rows inserted a job": 6,
    "rows updated a job": 6,
    "updates that touch indexes, a job": 4,  # its rounds' are all HOT
    "statements to load a job": 0,  # of a new conversation there is nothing to load
    "round trips to load a job": 0,
    "statements a query": 3,
    "round trips a query": 2,
}
STALE = 0.9  # a count below this share of its limit is told: the limit should follow
OF_ROUNDS = ("rounds", "steps", "tool_calls")
OF_JOBS = ("jobs", "conversations", "attempts", "metrics", "outbox")
# Nothing that comes by the clock gets between.
SETTINGS = {
    "limits": {"running_jobs_max": 1}, "outbox": {"shards": 1, "own_interval_ms": 60000},
    "worker": {"lease_ms": 120000, "renew_interval_ms": 60000, "reap_interval_ms": 60000},
    "tools": {"cache": {"enabled": False}},  # each call is a query
}
SERVER = {"full_page_writes": "off", "autovacuum": "off"}  # what comes by checkpoints and by the clock
TABLES = """
SELECT relname AS name, n_tup_ins AS inserted, n_tup_upd AS updated, n_tup_hot_upd AS hot
FROM pg_stat_user_tables WHERE schemaname = 'ba'"""
STORED = "SELECT sum(pg_total_relation_size(c.oid)) AS n FROM pg_class c" \
         " WHERE c.relnamespace = 'ba'::regnamespace AND c.relkind = 'r'"
WAL = "SELECT pg_current_wal_lsn() - '0/0' AS n"
OTHERS = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@contextlib.contextmanager
def installation(lab):
    """(deployment, the wire to its ledger, the wire to the analytics database)."""
    stack = copy.copy(lab.stack)
    with OwnPostgres(os.path.join(lab.folder, "postgres.log"), DEBIAN, SERVER) as server:
        stack.postgres_url = server.set_up_stack_roles()
        with PostgresWire(place_of(stack.postgres_url)) as ledger, PostgresWire(place_of(stack.analytics_url)) as queries:
            stack.analytics_url = by_way_of(lab.stack.analytics_url, f"127.0.0.1:{queries.port}")
            here = copy.copy(lab)
            here.stack = stack
            with here.deployment(SETTINGS, steps=1) as deployment:
                deployment.change_settings({"postgres": {"url": by_way_of(deployment.database.url, f"127.0.0.1:{ledger.port}")}})
                yield deployment, ledger, queries


def tables_of(database):
    return {row.pop("name"): row for row in database.rows(TABLES)}


def run_to_the_end(deployment, jobs):
    """All that the sessions counted is there once they have ended; the figures of the database: WAL, bytes, tables."""
    database = deployment.database
    worker = deployment.start_worker()
    deployment.wait_for_worker(worker)
    before = {"wal": database.value(WAL), "stored": database.value(STORED)}
    known = tables_of(database)
    deployment.submit(jobs)
    deployment.wait_for_results(len(jobs), 120)
    Exactness(deployment, jobs).expect_good()
    after = {"wal": database.value(WAL), "stored": database.value(STORED)}
    worker.signal(signal.SIGTERM)
    assert worker.wait(30) == 0, worker.tail()
    wait_until(lambda: database.value(OTHERS) == 0, 30, "the worker's sessions have ended")
    tables = {name: {what: count - known[name][what] for what, count in row.items()}
              for name, row in tables_of(database).items()}
    return {name: float(after[name] - before[name]) for name in after} | {"tables": tables}


def per(count, transactions):
    """Statements and round trips of these transactions, for each of so many."""
    return (sum(len(one.statements) for one in transactions) / count,
            sum(one.round_trips for one in transactions) / count)


def counted(database, ledger, queries):
    rounds = JOBS * JOB_ROUNDS

    def rows(names, what):
        return sum(database["tables"][name][what] for name in names)
    own = [one for one in ledger if one.writes(OF_ROUNDS)]
    loads = [one for one in ledger if any(re.search(r"\bFROM\s+messages\b", sql) for sql in one.statements)]
    asked = [one for one in queries if any("1 AS n" in sql for sql in one.statements)]
    statements, round_trips = per(rounds, own)
    load_statements, load_round_trips = per(JOBS, loads)
    query_statements, query_round_trips = per(rounds, asked)
    return {
        "transactions a round": len(own) / rounds,
        "statements a round": statements,
        "round trips a round": round_trips,
        "bytes sent a round": sum(one.bytes_sent for one in own) / rounds,
        "bytes of WAL a round": database["wal"] / rounds,
        "bytes stored a round": database["stored"] / rounds,
        "rows inserted a round": rows(OF_ROUNDS, "inserted") / rounds,
        "rows updated a round": rows(OF_ROUNDS, "updated") / rounds,
        "rows inserted a job": rows(OF_JOBS, "inserted") / JOBS,
        "rows updated a job": rows(OF_JOBS, "updated") / JOBS,
        "updates that touch indexes, a job": (rows(OF_ROUNDS + OF_JOBS, "updated") - rows(OF_ROUNDS + OF_JOBS, "hot")) / JOBS,
        "statements to load a job": load_statements,
        "round trips to load a job": load_round_trips,
        "statements a query": query_statements,
        "round trips a query": query_round_trips,
    }


def a_round_costs_no_more(lab):
    jobs = [bench_job(f"job-{i}", messages=JOB_ROUNDS) for i in range(JOBS)]
    with installation(lab) as (deployment, ledger, queries):
        counts = counted(run_to_the_end(deployment, jobs), ledger.transactions(), queries.transactions())
    shown = "\n".join(f'    "{name}": {count:.2f},' for name, count in counts.items())
    nothing = [name for name, count in counts.items() if count <= 0 < LIMITS[name]]
    assert not nothing, f"nothing was counted of {nothing}:\n{shown}"
    dearer = [f"{name}: {count:.2f}, at most {LIMITS[name]}" for name, count in counts.items() if count > LIMITS[name]]
    assert not dearer, "\n".join(["dearer than before:", *dearer, "all that was counted:", shown])
    stale = [f"{name}: {count:.2f} of {LIMITS[name]}" for name, count in counts.items() if count < STALE * LIMITS[name]]
    return f"cheaper than its limit, lower it: {'; '.join(stale)}" if stale else f"{counts['statements a round']:.2f} statements a round"


CASES = [Case("a round costs no more statements, rows and bytes than it did", a_round_costs_no_more, secure=False,
              why="what is sent is read on its way, which TLS doesn't allow")]
