# SPDX-License-Identifier: Apache-2.0
"""What a claim takes where very much waits; see ops/bench --help."""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from rig.database import psql
from rig.own_postgres import DEBIAN, OwnPostgres
from rig.stack import ROOT

_SLOTS = (8, 256)
_MARK = "-- next --"
# As the worker's sessions plan them (storage/postgres/session.cpp).
_SETTINGS = ("SET search_path = ba; SET jit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
             "SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;")
_FILL = """
SET search_path = ba;
TRUNCATE jobs, conversations;
INSERT INTO conversations (tenant, conversation_id)
SELECT 'tenant-' || lpad(t::text, 6, '0'), 'talk-' || n
FROM generate_series(1, {jobs}) n, generate_series(1, {tenants}) t;
INSERT INTO jobs (tenant, job_id, conversation, lane, payload, created_at, source_topic, source_topic_id,
                  source_partition, source_offset)
SELECT tenant, 'job-' || id, id, 1, convert_to(repeat('x', 200), 'UTF8'), now(), 'ba.jobs', '', 0, id
FROM conversations ORDER BY id;
VACUUM ANALYZE jobs, conversations;
"""


def _read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def statement(name):
    """The SQL of a statement that stands in claim_rows.cpp."""
    found = re.search(r'\{"%s", R"sql\((.*?)\)sql"\}' % name, _read("storage/ledger/claim_rows.cpp"), re.DOTALL)
    if not found:
        raise SystemExit(f"storage/ledger/claim_rows.cpp has no statement {name}")
    return found.group(1)


def calls(tenants):
    """What is measured: name, SQL, parameters."""
    claim = _read("storage/ledger/claim.sql")
    half = f"tenant-{tenants // 2:06}"
    places = "'{%s,%s,%s}', '{\"\",\"\",\"\"}', '{0,0,0}'"
    asked = [(f"claim of {slots}, {where}", claim, f"1, {slots}, '{{60,30,10}}', 32, {places % ((start,) * 3)}")
             for slots in _SLOTS for where, start in (("from the first tenant", '""'), ("from the middle", half))]
    known = ",".join(str(number) for number in range(1, 257))
    return asked + [("count of what could run, 1,000", statement("claimable"), "1000"),
                    ("count of what waits, 10,000", statement("waiting"), "10000"),
                    ("look at what is owned, 256 known", statement("owned"), f"1, '{{{known}}}'")]


def migrate(url):
    psql(url, "CREATE SCHEMA ba")
    folder = "storage/migrations"
    for file in sorted(name for name in os.listdir(os.path.join(ROOT, folder)) if re.match(r"V\d+__.*\.sql$", name)):
        psql(url, f"SET search_path = ba; BEGIN; {_read(os.path.join(folder, file))} COMMIT;")


def measure(url, sql, parameters, repeat):
    """Milliseconds and pages of each run but the first, which plans. Nothing is kept of what they do."""
    once = (f"BEGIN; EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE measured ({parameters}); ROLLBACK;\n"
            f"\\echo {_MARK}\n")
    answer = psql(url, f"{_SETTINGS} PREPARE measured AS {sql};\n" + once * (repeat + 1))
    plans = [json.loads(text)[0] for text in answer.split(_MARK)[1:-1]]
    pages = [one["Plan"]["Shared Hit Blocks"] + one["Plan"]["Shared Read Blocks"] for one in plans]
    return {"ms": statistics.median(one["Execution Time"] for one in plans), "pages": statistics.median(pages)}


def markdown(data):
    text = ("# Claims with a backlog\n\nTime and pages (8 KiB, found in memory or read) of one statement, median of"
            f" {data['options']['repeat']}, as the worker's sessions plan it. Each job has a conversation of its own.\n"
            f"{data['machine']['cpu']}, {data['machine']['cores']} cores, load {data['machine']['load_before']} before.\n\n")
    sizes = data["sizes"]
    rows = [("statement", *(f"{one['tenants']:,} tenants, {one['tenants'] * one['jobs']:,} jobs" for one in sizes))]
    for name in sizes[0]["figures"]:
        cells = (one["figures"][name] for one in sizes)
        rows.append((name, *(f"{cell['ms']:.2f} ms, {cell['pages']:,.0f} pages" for cell in cells)))
    return text + report.table(rows)


def main():
    parser = argparse.ArgumentParser(prog="ops/bench claims")
    parser.add_argument("--tenants", type=int, action="append")
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    if min(options.jobs, options.repeat, *(options.tenants or [1])) < 1:
        parser.error("all numbers are 1 or more")
    data = {"benchmark": "claims", "machine": report.machine(), "options": vars(options), "sizes": []}
    memory = {"shared_buffers": "2GB", "max_wal_size": "8GB"}
    with tempfile.NamedTemporaryFile(prefix="ba-postgres-", suffix=".log") as log:
        with OwnPostgres(log.name, DEBIAN, memory) as server:
            url = server.set_up_stack_roles()
            migrate(url)
            for tenants in options.tenants or (1000, 10000):
                psql(url, _FILL.format(tenants=tenants, jobs=options.jobs))
                figures = {name: measure(url, sql, parameters, options.repeat)
                           for name, sql, parameters in calls(tenants)}
                data["sizes"].append({"tenants": tenants, "jobs": options.jobs, "figures": figures})
    report.write("claims", data, markdown(data))


if __name__ == "__main__":
    main()
