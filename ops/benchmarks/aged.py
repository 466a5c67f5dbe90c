# SPDX-License-Identifier: Apache-2.0
"""What the worker's statements cost before and after very many jobs have finished; see ops/bench --help."""

import argparse
import math
import os
import shutil
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.load import Load
from benchmarks.steady_rounds import Shape, exact_figures, expect_durable, measure, parts_of
from rig.database import psql, with_database
from rig.deployment import Deployment
from rig.stack import Stack
from rig.topics import read_all

_APART = 10_000_000  # between the numbers of a row and of its copies
_NAPS = 3  # of autovacuum, in which it found nothing to do
_VACUUM_MAX_SECONDS = 1800
_FINISH_SECONDS = 300
_SHOWN = 90  # characters of a statement
_FEW_CALLS = 100  # a statement with fewer isn't the hot path's
_SHARE_MIN = 0.01  # of all statements' time: less tells nothing
# By table: which columns of a copy differ, and how.
_NUMBERS = {"conversations": ["id"], "jobs": ["id", "conversation", "source_offset"], "rounds": ["job", "conversation"],
            "steps": ["job"], "tool_calls": ["job"], "attempts": ["job"], "metrics": ["job"], "outbox": ["id"]}
_NAMES = {"conversations": ["conversation_id"], "jobs": ["job_id"], "outbox": ["result_id"]}
_CONTRIB = "pg_stat_statements"
_STATEMENTS = f"""
SELECT query, sum(calls) AS calls, sum(total_exec_time) / sum(calls) AS ms,
       sum(shared_blks_hit + shared_blks_read) / sum(calls) AS pages
FROM public.{_CONTRIB} WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND query NOT ILIKE ALL (ARRAY['begin%', 'commit%', 'set %', 'rollback%', '%{_CONTRIB}%', '%json_agg%'])
GROUP BY query"""
_HOT = """
SELECT relname AS name, n_tup_upd AS updates, n_tup_hot_upd AS hot FROM pg_stat_user_tables
WHERE schemaname = 'ba' AND n_tup_upd > 0"""
_VACUUMS = "SELECT count(*) AS n FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'"


def administrator(stack, database):
    """PostgreSQL's superuser, to whom the extension belongs."""
    login = urllib.parse.urlsplit(stack.postgres_url)
    password = urllib.parse.quote(stack.passwords()["postgres"])
    return with_database(login._replace(netloc=f"postgres:{password}@{login.hostname}:{login.port}").geturl(), database)


def count_statements(stack):
    """Has the server count them from its next start on."""
    psql(administrator(stack, "postgres"), f"ALTER SYSTEM SET shared_preload_libraries = '{_CONTRIB}'")
    stack.restart("postgres", kill=False)


def copy_sql(database, table):
    """One statement that copies all that was really done, as the copy with the number {k}."""
    columns = [row["name"] for row in database.rows(
        "SELECT attname AS name FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attgenerated = ''"
        f" AND attrelid = 'ba.{table}'::regclass ORDER BY attnum")]

    def value(column):
        if column in _NUMBERS[table]:
            return f"{column} + {{k}} * {_APART}::bigint"
        return f"{column} || '/{{k}}'" if column in _NAMES.get(table, ()) else column
    number = "id" if "id" in columns else "job"
    return (f"INSERT INTO ba.{table} ({', '.join(columns)}) OVERRIDING SYSTEM VALUE"
            f" SELECT {', '.join(map(value, columns))} FROM ba.{table} WHERE {number} < {_APART} ORDER BY {number};")


def copy_jobs(database, jobs):
    """As if the jobs that are there had run before, again and again, until there are so many."""
    there = database.value("SELECT count(*) AS n FROM jobs")
    copies = math.ceil(jobs / there) - 1
    statements = "".join(copy_sql(database, table) for table in _NUMBERS)
    for k in range(1, copies + 1):
        psql(database.url, f"BEGIN; {statements.format(k=k)} COMMIT;")
        print(f"{there * (k + 1):,} finished jobs", flush=True)
    for table in ("conversations", "jobs", "outbox"):
        psql(database.url, f"SELECT setval(pg_get_serial_sequence('ba.{table}', 'id'), {(copies + 1) * _APART})")


def wait_for_vacuum(database):
    """Until PostgreSQL's own has found nothing to do for a while."""
    nap = float(database.value("SELECT extract(epoch FROM current_setting('autovacuum_naptime')::interval) AS n"))
    quiet_since = time.monotonic()
    deadline = quiet_since + _VACUUM_MAX_SECONDS
    while time.monotonic() - quiet_since < _NAPS * nap:
        if time.monotonic() > deadline:
            raise AssertionError(f"vacuum is at work for {_VACUUM_MAX_SECONDS} s")
        if database.value(_VACUUMS):
            quiet_since = time.monotonic()
        time.sleep(1)


def statements_of(stack, deployment, load, options):
    """Of one window of steady work, with the figures of the rounds."""
    load.run_for(options.warm_up_seconds)
    admin = administrator(stack, deployment.database.name)
    psql(admin, f"SELECT public.{_CONTRIB}_reset()")
    figures = measure(deployment, load, parts_of(deployment), options.seconds)
    rows = deployment.database.rows(_STATEMENTS)
    return {"rounds": figures, "statements": {" ".join(row["query"].split()): row for row in rows}}


def compared(before, after):
    """Statements of the hot path, the dearest first."""
    least = _SHARE_MIN * sum(one["ms"] * one["calls"] for one in after["statements"].values())
    both = [(query, before["statements"][query], one) for query, one in after["statements"].items()
            if query in before["statements"] and one["ms"] * one["calls"] >= least
            and before["statements"][query]["calls"] >= _FEW_CALLS]
    return [{"statement": query, "calls": new["calls"], "ms": [old["ms"], new["ms"]], "pages": [old["pages"], new["pages"]],
             "ratio": new["ms"] / old["ms"]}
            for query, old, new in sorted(both, key=lambda each: -each[2]["ms"] * each[2]["calls"])]


def expect_each_once(deployment, load):
    """Of all jobs that ran: the copies have no results."""
    found = read_all(deployment.stack.brokers, [deployment.topics["results"]])[deployment.topics["results"]]
    keys = {message.key() for message in found}
    if not len(keys) == len(found) == len(load.jobs):
        raise AssertionError(f"{len(load.jobs)} jobs have {len(found)} results of {len(keys)} jobs")


def run(stack, options):
    folder = os.path.join(report.FOLDER, "run-aged")
    shutil.rmtree(folder, ignore_errors=True)
    shape = Shape(options.seconds, options.concurrency, job_rounds=1)
    with Deployment(stack, folder, shape.settings(), {"steps": 1}) as deployment:
        database = deployment.database
        expect_durable(database)
        owner = urllib.parse.urlsplit(stack.postgres_url).username
        psql(administrator(stack, database.name), f"CREATE EXTENSION {_CONTRIB}; GRANT pg_read_all_stats TO {owner}")
        deployment.wait_for_worker(deployment.start_worker())
        load = Load(deployment, shape.job_rounds, options.concurrency)
        try:
            before = statements_of(stack, deployment, load, options)
            load.finish(_FINISH_SECONDS)
            exact = exact_figures(deployment, load, len(load.jobs))
            copy_jobs(database, options.jobs)
            wait_for_vacuum(database)
            after = statements_of(stack, deployment, load, options)
            load.finish(_FINISH_SECONDS)
            expect_each_once(deployment, load)
        finally:
            load.close()
        return {"exact": exact, "before": before["rounds"], "after": after["rounds"],
                "statements": compared(before, after), "updates": database.rows(_HOT),
                "jobs": database.value("SELECT count(*) AS n FROM jobs"),
                "bytes": database.value("SELECT pg_database_size(current_database()) AS n")}


def markdown(data):
    figures, options = data["figures"], data["options"]
    rows = [("what", "before", "after"),
            ("finished jobs, at the end", f"{figures['exact']['jobs']:,}", f"{figures['jobs']:,}")]
    for title, value in (("rounds/s", lambda one: f"{one['rounds_per_s']:.0f}"),
                         ("CPU a round, µs", lambda one: f"{one['cpu_us_per_round']['total']:.0f}"),
                         ("of it PostgreSQL", lambda one: f"{one['cpu_us_per_round']['postgres']:.0f}")):
        rows.append((title, value(figures["before"]), value(figures["after"])))
    statements = [("statement", "calls", "ms before", "ms after", "ratio", "pages before", "pages after")]
    statements += [(one["statement"][:_SHOWN], f"{one['calls']:,}", *(f"{ms:.3f}" for ms in one["ms"]), f"×{one['ratio']:.2f}",
                    *(f"{pages:.1f}" for pages in one["pages"])) for one in figures["statements"]]
    hot = [("table", "updates", "HOT")]
    hot += [(one["name"], f"{one['updates']:,}", f"{100 * one['hot'] / one['updates']:.0f} %")
            for one in sorted(figures["updates"], key=lambda one: -one["updates"])]
    return (f"# After {figures['jobs']:,} finished jobs\n\nJobs of one round; {options['seconds']} s measured before, and"
            f" again when the ledger has {figures['bytes'] / 1e9:.1f} GB. Most of its jobs are copies of those that ran."
            " Vacuum came as PostgreSQL has it come.\n"
            f"{report.machine_line(data['machine'])}\n{report.table(rows)}\n{report.table(statements)}\n"
            f"{report.table(hot)}\nA statement's pages are 8 KiB, found in memory or read; they don't depend on the"
            " machine's speed.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench aged")
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--warm-up-seconds", type=int, default=10)
    parser.add_argument("--concurrency", type=int, default=256)
    options = parser.parse_args()
    stack = Stack()
    count_statements(stack)
    data = {"benchmark": "aged", "machine": report.machine(), "options": vars(options), "figures": run(stack, options)}
    report.write("aged", data, markdown(data))


if __name__ == "__main__":
    main()
