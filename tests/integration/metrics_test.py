# SPDX-License-Identifier: Apache-2.0
"""What a worker shows on /metrics, as Prometheus sees it: the form, the shipped dashboard, the shipped alerts."""

import re

from case import Case
from rig import endpoints
from rig.jobs import bench_job
from rig.prometheus import Prometheus, dashboard_queries, promtool
from rig.waiting import wait_until

JOBS = 5
QUERIES_MIN = 55  # the others are of what does not happen here: retries, summaries, skills, …
SETTINGS = {"http": {"enabled": True, "port": 0}}
METRIC = re.compile(r"\b(?:ba|process)_\w+")


def work(deployment, worker):
    """Jobs are done, and a record that is none is refused."""
    deployment.send([(b"rig/x", b"no job", [])])
    deployment.submit([bench_job(f"job-{i}") for i in range(JOBS)])
    deployment.wait_for_results(JOBS, 60)
    wait_until(lambda: endpoints.metric(worker, 'ba_dead_letters_total{reason="UNKNOWN_FORMAT"}'), 20, worker.tail)


def promtool_finds_nothing(lab):
    with lab.deployment(SETTINGS) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        work(deployment, worker)
        page = endpoints.read(worker, "/metrics")[1]
    assert re.search(r"^ba_job_duration_seconds_bucket\{", page, re.MULTILINE), page
    assert promtool("check", "metrics", given=page) == (0, "")
    code, said = promtool("check", "metrics", given=page + "# TYPE ba_wrong counter\nba_wrong 1\n")
    assert code == 3 and 'ba_wrong counter metrics should have "_total" suffix' in said, said


def answerable(prometheus, queries):
    """Those whose metrics the worker all shows: some appear with the first thing that they count."""
    shown = {sample["metric"]["__name__"] for sample in prometheus.query('{job="ba-agent"}')}
    return [query for query in queries if shown.issuperset(METRIC.findall(query))]


def prometheus_answers_the_dashboard(lab):
    with lab.deployment(SETTINGS) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        with Prometheus(lab.folder, endpoints.address(worker)) as prometheus:
            wait_until(lambda: prometheus.query("count_over_time(up[1m]) > 1"), 30, prometheus.process.tail)
            work(deployment, worker)
            wait_until(lambda: prometheus.query("count_over_time(ba_job_duration_seconds_count[1m]) > 2"), 30,
                       prometheus.process.tail)
            jobs = prometheus.query('sum(ba_jobs_finished_total{outcome="completed"})')
            assert jobs and jobs[0]["value"][1] == str(JOBS), jobs
            queries = dashboard_queries("10s", "ba-agent", endpoints.address(worker))
            assert len(queries) > 50, queries
            asked = answerable(prometheus, queries)
            assert len(asked) >= QUERIES_MIN, sorted(set(queries) - set(asked))
            missing = [query for query in asked if not prometheus.query(query)]
            assert not missing, missing
            expect_the_alert_on_dead_letters_only(prometheus)
            return f"{len(asked)} of {len(queries)} queries, {len(prometheus.alerts())} alerts"


def expect_the_alert_on_dead_letters_only(prometheus):
    def firing():
        return [alert["name"] for alert in prometheus.alerts() if alert["state"] == "firing"]

    wait_until(firing, 30, lambda: f"an alert: {prometheus.alerts()}")
    assert firing() == ["BaAgentDeadLetters"], firing()
    wrong = [alert for alert in prometheus.alerts() if alert["health"] != "ok"]
    assert not wrong, wrong


CASES = [
    Case("metrics: promtool finds nothing wrong with a worker's", promtool_finds_nothing),
    Case("metrics: Prometheus answers the dashboard where there is something to tell, and a first dead letter is an alert",
         prometheus_answers_the_dashboard),
]
