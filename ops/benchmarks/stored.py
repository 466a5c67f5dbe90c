# SPDX-License-Identifier: Apache-2.0
"""Bytes that a conversation leaves in the ledger, and in its log; see ops/bench --help."""

import argparse
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from rig.deployment import Deployment
from rig.exactness import Exactness
from rig.stack import Stack

_RESULT_BYTES = (1900, 2200)  # the mean text of a result must lie here
# Every round reads other rows, so that no text is stored twice.
_SCRIPT = """
entries:
  - when: {regex: 'bytes (\\d+)'}
    then:
      - tool_calls: [{name: query_database, args: {sql: 'SELECT * FROM weather OFFSET {{match.1}} * 19 LIMIT 19'}}]
      - text: 'The weather of part {{match.1}} was read; nothing is missing.'
"""
_SIZES = """
SELECT c.relname AS name, pg_table_size(c.oid) AS rows, pg_indexes_size(c.oid) AS indexes
FROM pg_class c WHERE c.relnamespace = 'ba'::regnamespace AND c.relkind = 'r'"""
_TEXT = "SELECT avg(length(message->'data'->>'content')) AS n FROM messages WHERE message->>'type' = 'tool'"
# Bytes of a row that stands, by column as it is stored, compressed or not; what rows and pages add is left out.
_TABLES = ("rounds", "steps", "tool_calls")
_COLUMNS_SHOWN = 6  # of each table, the largest
_COLUMNS = """
SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'ba' AND table_name = '{}'"""
_WAL = "SELECT pg_current_wal_lsn() - '0/0' AS n"


def settings(rounds):
    many = 1_000_000_000
    return {
        "limits": {"rounds_per_job_max": rounds, "tokens_per_job_max": many, "cost_per_job_max_usd": 1_000_000},
        "outbox": {"shards": 2}, "observability": {"log_level": "warning"}, "kafka": {"progress": "off"},
        "tools": {"cache": {"enabled": False}, "settings": {"query_database": {"default_level": "full"}}},
    }


def sizes(database):
    return {row["name"]: (row["rows"], row["indexes"]) for row in database.rows(_SIZES)}


def columns(database):
    """By table, the mean bytes of its columns, the largest first."""
    answer = {}
    for table in _TABLES:
        names = [row["name"] for row in database.rows(_COLUMNS.format(table))]
        means = ", ".join(f'coalesce(avg(coalesce(pg_column_size("{name}"), 0)), 0)::float AS "{name}"' for name in names)
        row = database.rows(f"SELECT {means} FROM ba.{table}")[0]
        answer[table] = dict(sorted(row.items(), key=lambda item: -item[1]))
    return answer


def run(stack, options):
    """Of several conversations together, so that pages that are begun count little."""
    folder = os.path.join(report.FOLDER, "run-stored")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    script = os.path.join(folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(_SCRIPT)
    jobs = [{"tenant": "rig", "job_id": f"job-{j}", "messages": [
        f"bytes {j * options.rounds + i}: read that part" for i in range(options.rounds)]}
            for j in range(options.conversations)]
    with Deployment(stack, folder, settings(options.rounds), {"scripts": [script]}) as deployment:
        deployment.wait_for_worker(deployment.start_worker())
        before, wal = sizes(deployment.database), deployment.database.value(_WAL)
        deployment.submit(jobs)
        deployment.wait_for_results(len(jobs), 300)
        Exactness(deployment, jobs).expect_good()
        wal = deployment.database.value(_WAL) - wal
        after = sizes(deployment.database)
        text, by_column = float(deployment.database.value(_TEXT)), columns(deployment.database)
    if not _RESULT_BYTES[0] <= text <= _RESULT_BYTES[1]:
        raise AssertionError(f"results have {text:.0f} characters, not {_RESULT_BYTES[0]} to {_RESULT_BYTES[1]}")
    tables = {name: [(size - old) / len(jobs) for size, old in zip(after[name], before[name])] for name in after}
    return {"result_characters": text, "wal_bytes": wal / len(jobs),
            "stored_bytes": sum(map(sum, tables.values())), "columns": by_column,
            "tables": {name: {"rows": rows, "indexes": indexes} for name, (rows, indexes) in tables.items()
                       if rows + indexes > 0}}


def markdown(data):
    figures, options = data["figures"], data["options"]
    rows = [("a conversation", "bytes"), ("stored, with indexes", f"{figures['stored_bytes']:,.0f}"),
            ("written to the log (WAL)", f"{figures['wal_bytes']:,.0f}")]
    tables = [("table", "rows", "indexes")]
    tables += [(name, f"{one['rows']:,.0f}", f"{one['indexes']:,.0f}") for name, one in sorted(
        figures["tables"].items(), key=lambda item: -item[1]["rows"] - item[1]["indexes"])]
    by_column = [("table", "a row's largest columns, bytes", "all")]
    by_column += [(table, ", ".join(f"{name} {size:.0f}" for name, size in list(one.items())[:_COLUMNS_SHOWN]),
                   f"{sum(one.values()):.0f}") for table, one in figures["columns"].items()]
    return (f"# Bytes of a conversation\n\n{options['rounds']} rounds, each with a result of"
            f" {figures['result_characters']:.0f} characters, no two alike; mean of {options['conversations']}"
            f" conversations.\n{report.machine_line(data['machine'])}\n{report.table(rows)}\n{report.table(tables)}\n{report.table(by_column)}\n"
            "Old versions of rows count as long as no vacuum has freed them; the log includes whole pages after checkpoints."
            " Progress events are off; they are never stored.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench stored")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--conversations", type=int, default=20)
    options = parser.parse_args()
    data = {"benchmark": "stored", "machine": report.machine(), "options": vars(options), "figures": run(Stack(), options)}
    report.write("stored", data, markdown(data))


if __name__ == "__main__":
    main()
