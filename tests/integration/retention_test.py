# SPDX-License-Identifier: Apache-2.0
"""What is old enough leaves the ledger while workers run."""

from case import Case
from rig.database import psql
from rig.jobs import bench_job
from rig.waiting import wait_until

SETTINGS = {"retention": {"jobs_days": 14, "outbox_days": 1, "interval_ms": 100, "batch_rows_max": 2}}
ROWS = ("jobs", "rounds", "steps", "tool_calls", "attempts", "metrics", "outbox")


def rows(deployment):
    return {table: deployment.database.value(f"SELECT count(*) AS n FROM {table}") for table in ROWS}


def age(deployment, days):
    """Lets everything there is be older by that much."""
    span = f"interval '{days} days'"
    for statement in (f"jobs SET finished_at = finished_at - {span} WHERE state = 'finished'",
                      f"conversations SET updated_at = updated_at - {span}",
                      f"outbox SET published_at = published_at - {span} WHERE published_at IS NOT NULL"):
        psql(deployment.database.url, f"UPDATE ba.{statement}")


def remove_by_age(lab):
    """In batches, with all rows; what an unfinished job needs stays, and so does what is younger."""
    old = [bench_job(f"old-{i}") for i in range(5)]
    with lab.deployment(SETTINGS, steps=2) as deployment:
        deployment.start_worker()
        deployment.submit(old + [bench_job("first")])
        deployment.wait_for_results(6, 60)
        wait_until(lambda: deployment.database.value(
            "SELECT count(*) AS n FROM outbox WHERE published_at IS NULL") == 0, 30, deployment.explain)
        psql(deployment.database.url,  # a job of the conversation that nobody has finished
             """INSERT INTO ba.jobs (tenant, job_id, conversation, lane, state, idle_since, payload,
                                     source_topic, source_topic_id, source_partition, source_offset, created_at)
                SELECT tenant, 'paused', conversation, lane, 'paused', now(), payload, '', '', 0, 0, now()
                FROM ba.jobs WHERE job_id = 'first'""")
        age(deployment, 15)
        wait_until(lambda: rows(deployment)["jobs"] == 2, 30, deployment.explain)
        wait_until(lambda: rows(deployment)["outbox"] == 0, 30, deployment.explain)
        left = rows(deployment)
        assert (left["rounds"], left["metrics"]) == (1, 1), f"the history of the paused job: {left}"
        deployment.submit([bench_job("young")])
        deployment.wait_for_results(7, 60)
        psql(deployment.database.url, "DELETE FROM ba.jobs WHERE job_id = 'paused'")
        wait_until(lambda: rows(deployment)["jobs"] == 1, 30, deployment.explain)
        left = rows(deployment)
        assert (left["rounds"], left["attempts"], left["metrics"]) == (1, 1, 1), f"of the young job: {left}"


CASES = [Case("what is old leaves the ledger", remove_by_age)]
