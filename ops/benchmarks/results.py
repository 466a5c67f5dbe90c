# SPDX-License-Identifier: Apache-2.0
"""Results published exactly once, per second, and when their readers see them; see ops/bench --help."""

import argparse
import collections
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.steady_rounds import KAFKA, POSTGRES, WORKER, Snapshot, parts_of
from rig.database import POSTGRES_BIN, connection, psql
from rig.deployment import Deployment
from rig.stack import Stack
from rig.topics import read_all
from rig.waiting import wait_until

_SHARDS = 16  # as configured
_PIECE_SECONDS = 0.02  # between two transactions that add results
_VALUE_BYTES = 600
_WARM_UP = 5000  # results before any is measured
_LEFT = "SELECT count(*) AS n FROM outbox WHERE published_at IS NULL"


def settings():
    return {"outbox": {"shards": _SHARDS, "linger_ms": 100},
            "observability": {"log_level": "warning"}, "kafka": {"topic_settings": {"result_partitions": 4}}}


def add(topic, kind, first, count):
    """SQL that adds results as ended jobs do."""
    return (f"INSERT INTO ba.outbox (shard, result_id, topic, record_key, record_value, record_headers)"
            f" SELECT n % {_SHARDS}, '{kind}-' || n, '{topic}', ('{kind}/' || n)::bytea,"
            f" rpad('{kind}-' || n || ' ', {_VALUE_BYTES}, 'x')::bytea, '[]' FROM generate_series({first}, {first + count - 1}) n;\n")


def add_steadily(database, topic, per_second, seconds):
    """In a session of its own, in small transactions; how many there were. The rate is that of the clock, whatever the
    database takes for one of them."""
    added, began = 0, time.monotonic()
    with subprocess.Popen([f"{POSTGRES_BIN}/psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], env=connection(database.url),
                          stdin=subprocess.PIPE, text=True) as session:
        while (passed := time.monotonic() - began) < seconds:
            due = int(per_second * passed) - added
            if due > 0:
                session.stdin.write(add(topic, "steady", added, due))
                session.stdin.flush()
                added += due
            time.sleep(_PIECE_SECONDS)
        session.stdin.close()
        if session.wait(60):
            raise AssertionError("psql ended with an error")
    return added


def add_at_once(database, topic, kind, count):
    psql(database.url, add(topic, kind, 0, count))


def wait_until_published(deployment, seconds):
    wait_until(lambda: deployment.database.value(_LEFT) == 0, seconds, deployment.explain)


def expect_each_once(deployment, topic, wanted):
    ids = collections.Counter(message.value().split(b" ", 1)[0].decode()
                              for message in read_all(deployment.stack.brokers, [topic])[topic])
    doubled = [name for name, count in ids.items() if count > 1]
    if len(ids) != wanted or doubled:
        raise AssertionError(f"{len(ids)} of {wanted} results are there, doubled: {doubled[:5]}")


def visible(deployment, kind):
    """Milliseconds from a result's transaction to the end of that of Kafka, after which consumers see it; seconds of all."""
    return deployment.database.row(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99,"
        " max(seconds) AS seconds FROM (SELECT extract(epoch FROM published_at - created_at) * 1000 AS ms,"
        f" extract(epoch FROM published_at - min(created_at) OVER ()) AS seconds FROM outbox WHERE result_id LIKE '{kind}-%') r")


def run(stack, options):
    folder = os.path.join(report.FOLDER, "run-results")
    shutil.rmtree(folder, ignore_errors=True)
    with Deployment(stack, folder, settings(), {"steps": 1}) as deployment:
        deployment.wait_for_worker(deployment.start_worker())
        database, topic, parts = deployment.database, deployment.topics["results"], parts_of(deployment)
        wait_until(lambda: database.value("SELECT count(*) AS n FROM outbox_shards WHERE incarnation IS NOT NULL") == _SHARDS,
                   30, deployment.explain)
        add_at_once(database, topic, "warm", _WARM_UP)
        wait_until_published(deployment, 60)
        first = Snapshot(deployment, parts)
        steady = add_steadily(database, topic, options.per_second, options.seconds)
        last = Snapshot(deployment, parts)
        wait_until_published(deployment, 60)
        add_at_once(database, topic, "backlog", options.backlog)
        wait_until_published(deployment, 120)
        expect_each_once(deployment, topic, _WARM_UP + steady + options.backlog)
        at_once, lagging = visible(deployment, "steady"), visible(deployment, "backlog")
    busy = last.busy_since(first)
    return {"steady_per_s": steady / (last.monotonic - first.monotonic), "visible_ms": {n: at_once[n] for n in ("p50", "p99")},
            "backlog_per_s": options.backlog / float(lagging["seconds"]),
            "cpu_us_per_result": {name: busy[name] / steady * 1e6 for name in (WORKER, POSTGRES, KAFKA)},
            "cores_busy_of_others": last.others_since(first)}


def markdown(data):
    one, options = data["figures"], data["options"]
    rows = [("what", "value"), ("results per second, steadily", f"{one['steady_per_s']:.0f}"),
            ("… visible after, median / 99 %", f"{one['visible_ms']['p50']:.0f} / {one['visible_ms']['p99']:.0f} ms"),
            *((f"… CPU a result, {name}", f"{us:.0f} µs") for name, us in one["cpu_us_per_result"].items()),
            (f"results per second, of {options['backlog']:,} that waited", f"{one['backlog_per_s']:.0f}")]
    return (f"# Results exactly once\n\nRows as ended jobs leave them, {_VALUE_BYTES} bytes each, {_SHARDS} shards, 100 ms to"
            f" gather a Kafka transaction. {options['seconds']} s of {options['per_second']} a second, then many at once.\n"
            f"{report.machine_line(data['machine'])}Each was on the topic exactly once.\n\n{report.table(rows)}\n"
            "PostgreSQL's figure includes the adding of the rows. With one Kafka transaction per result there would be about"
            " a hundred a second.\n")


def main():
    parser = argparse.ArgumentParser(prog="ops/bench results")
    parser.add_argument("--per-second", type=int, default=10000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--backlog", type=int, default=100000)
    options = parser.parse_args()
    data = {"benchmark": "results", "machine": report.machine(), "options": vars(options), "figures": run(Stack(), options)}
    report.write("results", data, markdown(data))


if __name__ == "__main__":
    main()
