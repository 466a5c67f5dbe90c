# SPDX-License-Identifier: Apache-2.0
"""A configuration that changes under a worker: SIGHUP makes it read the file again."""

import os
import signal

from case import Case
from rig.jobs import bench_job
from rig.waiting import wait_until


def outcome(deployment, job_id):
    query = f"SELECT outcome FROM jobs WHERE job_id = '{job_id}' AND state = 'finished'"
    wait_until(lambda: deployment.database.try_value(query), 30, f"the end of {job_id}")
    return deployment.database.value(query)


def hang_up(worker, wait_for):
    said = worker.tail(10_000).count(wait_for)
    worker.signal(signal.SIGHUP)
    wait_until(lambda: worker.tail(10_000).count(wait_for) > said, 10, worker.tail)


def agents_that_changed_hold_for_new_jobs(lab):
    with lab.deployment(steps=1) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        deployment.submit([bench_job("before") | {"agent": "late"}])
        assert outcome(deployment, "before") != "completed"

        deployment.change_settings({"agents": {"late": {"tools": ["query_database"]}}, "worker": {"claim_interval_ms": 150}})
        hang_up(worker, "the configuration was read again")
        deployment.submit([bench_job("after") | {"agent": "late"}])
        assert outcome(deployment, "after") == "completed", worker.tail()
        log = worker.tail(10_000)
        assert "take effect at the next start" in log and "worker.claim_interval_ms" in log, log


def wrong_configuration_changes_nothing(lab):
    with lab.deployment({"agents": {"early": {}}}, steps=1) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        deployment.change_settings({"agents": {"early": {"model": "no-such-model"}}})
        hang_up(worker, "stays as it was")
        assert "no-such-model" in worker.tail(10_000), worker.tail()
        deployment.submit([bench_job("job-1") | {"agent": "early"}])
        assert outcome(deployment, "job-1") == "completed", worker.tail()


def expect_as_it_was(deployment, worker, why):
    """After a SIGHUP: the log names the file, and a new job runs by the agents of the start."""
    said = worker.tail(10_000).count(why)
    hang_up(worker, "the configuration is wrong; it stays as it was")
    log = worker.tail(10_000)
    assert log.count(why) == said + 1 and "ba-agent.yaml" in log, log
    job = f"job-{deployment.records_sent}"
    deployment.submit([bench_job(job) | {"agent": "early"}])
    assert outcome(deployment, job) == "completed", worker.tail()


def file_that_says_nothing_changes_nothing(lab):
    """As one that is written anew is for a moment, or on a full disk for ever."""
    with lab.deployment({"agents": {"early": {}}}, steps=1) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        for text in ("", " \n\t\n", "# later\n", "---\n"):
            with open(os.path.join(deployment.folder, "ba-agent.yaml"), "w", encoding="utf-8") as file:
                file.write(text)
            expect_as_it_was(deployment, worker, "the file is empty: write the settings into it")


def file_that_is_gone_changes_nothing(lab):
    """Where the worker has found it by itself, in its folder, and the environment has enough for the defaults."""
    with lab.deployment({"agents": {"early": {}}}, steps=1) as deployment:
        settings = deployment.settings()
        enough = {"BA__POSTGRES__URL": settings["postgres"]["url"], "BA__KAFKA__BROKERS": settings["kafka"]["brokers"],
                  "BA__LLM__PROVIDERS__SCRIPTED__PROTOCOL": "anthropic",
                  "BA__LLM__PROVIDERS__SCRIPTED__BASE_URL": deployment.model.url,
                  "BA__LLM__MODELS__SCRIPTED__PROVIDER": "scripted", "BA__LLM__DEFAULT_MODEL": "scripted",
                  "BA__LLM__MODELS__SCRIPTED__MODEL_ID": "scripted-1"}
        worker = deployment.start_worker(env=enough, through=f"cd '{deployment.folder}'; unset BA_CONFIG; exec \"$@\"")
        deployment.wait_for_worker(worker)
        os.remove(os.path.join(deployment.folder, "ba-agent.yaml"))
        expect_as_it_was(deployment, worker, "No such file or directory")


# Micro-dollars that a reply costs by a price of dollars per million tokens, within a rounding.
_COSTS = """
SELECT j.job_id, s.step, s.cost_micro_usd AS cost, s.input_tokens + s.cache_read_tokens + s.cache_write_tokens AS given,
  s.output_tokens AS made FROM steps s JOIN jobs j ON j.id = s.job ORDER BY 1, 2"""


def prices(dollars):
    names = ("input", "output", "cache_read", "cache_write")
    return {"llm": {"models": {"scripted": {"prices": {f"{name}_per_mtok_usd": dollars for name in names}}}}}


def prices_that_changed_hold_for_new_jobs(lab):
    with lab.deployment(prices(1), steps=2, delay_ms=1500) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        deployment.submit([bench_job("before")])
        wait_until(lambda: deployment.database.try_value("SELECT count(*) AS n FROM steps") == 1, 30, worker.tail)
        deployment.change_settings(prices(100))
        hang_up(worker, "the configuration was read again")
        assert deployment.database.value("SELECT count(*) AS n FROM steps") == 1, "it went too fast for this test"
        deployment.submit([bench_job("after")])
        assert outcome(deployment, "before") == outcome(deployment, "after") == "completed", worker.tail()
        rows = deployment.database.rows(_COSTS)
        assert len(rows) == 6, rows
        for row in rows:
            dollars = {"before": 1, "after": 100}[row["job_id"]]
            assert abs(row["cost"] - dollars * (row["given"] + row["made"])) <= 1, row


CASES = [
    Case("prices that changed hold for new jobs after SIGHUP, and running ones keep theirs", prices_that_changed_hold_for_new_jobs),
    Case("agents that changed hold for new jobs after SIGHUP", agents_that_changed_hold_for_new_jobs),
    Case("a configuration that is wrong changes nothing on SIGHUP", wrong_configuration_changes_nothing),
    Case("a configuration file that says nothing changes nothing on SIGHUP", file_that_says_nothing_changes_nothing),
    Case("a configuration file that is gone changes nothing on SIGHUP", file_that_is_gone_changes_nothing,
         secure=False, why="the environment has no logins"),
]
