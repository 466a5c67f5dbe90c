# SPDX-License-Identifier: Apache-2.0
"""Jobs cancelled, paused and resumed by command while workers run them, and those that wait behind them."""

import json

from case import Case
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.waiting import wait_until


def lines(deployment, *arguments):
    return [json.loads(line) for line in deployment.run("job", *arguments, "--json").splitlines()]


def standing(deployment, job_id):
    return deployment.database.row(f"SELECT state, outcome, attempt FROM jobs WHERE job_id = '{job_id}'")


def wait_for_state(deployment, job_id, state):
    wait_until(lambda: (deployment.database.try_value(
        f"SELECT coalesce(outcome, state) AS s FROM jobs WHERE job_id = '{job_id}'")) == state,
        20, lambda: f"{job_id} is {state}; {deployment.explain()}")


def cancel_at_once(lab):
    """A running and a waiting job: both get a result, with outcome cancelled."""
    jobs = [bench_job("running"), bench_job("waiting")]
    with lab.deployment({"limits": {"running_jobs_max": 1}}, delay_ms=60000) as deployment:
        deployment.start_worker()
        deployment.submit(jobs[:1])  # of two that come at once either may be the first
        wait_until(lambda: sum(deployment.model.paid_calls().values()) == 1, 30, deployment.explain)
        deployment.submit(jobs[1:])
        wait_until(lambda: deployment.database.value("SELECT count(*) AS n FROM jobs") == 2, 30,
                   deployment.explain)
        # The waiting one first: the other one's place would be free for it in between.
        deployment.run("job", "cancel", "waiting", "running", "--tenant", "rig", "--by", "a test")
        deployment.wait_for_results(2, 30)
        exact = Exactness(deployment, jobs, outcome="cancelled")
        exact.expect_good()
        assert exact.wasted == 1, f"{exact.wasted} calls recorded as wasted, one was under way"
        listed = lines(deployment, "list", "--outcome", "cancelled", "--tenant", "rig")
        assert {(j["job_id"], j["requested_by"]) for j in listed} == {
            ("running", "a test"), ("waiting", "a test")}, listed


def pause_and_resume(lab):
    """At a boundary, without an attempt; the next of the conversation waits behind it."""
    jobs = [bench_job("first", messages=2, conversation_id="talk"), bench_job("second", conversation_id="talk")]
    with lab.deployment(steps=2, delay_ms=500) as deployment:
        deployment.start_worker()
        deployment.submit(jobs)
        wait_until(lambda: sum(deployment.model.paid_calls().values()) >= 1, 30, deployment.explain)
        deployment.run("job", "pause", "first", "--tenant", "rig")
        wait_for_state(deployment, "first", "paused")
        paid = sum(deployment.model.paid_calls().values())
        assert [j["job_id"] for j in lines(deployment, "list", "--state", "paused")] == ["first"]
        assert standing(deployment, "first") == {"state": "paused", "outcome": None, "attempt": 0}
        wait_for_state(deployment, "second", "ready")
        # Another job comes and goes meanwhile: the worker had time to run these, too.
        deployment.submit([bench_job("other")])
        wait_for_state(deployment, "other", "completed")
        paid += deployment.model.paid_calls()["bench other 0"]
        assert sum(deployment.model.paid_calls().values()) == paid, "the paused job went on"
        deployment.run("job", "resume", "first", "--tenant", "rig")
        deployment.wait_for_results(3, 60)
        exact = Exactness(deployment, jobs + [bench_job("other")])
        exact.expect_good()
        assert exact.wasted == 0 and {row["attempt"] for row in exact.rows.values()} == {1}, exact.rows


def wait_too_long_for_a_conversation(lab):
    """Behind a paused job the next one ends by itself and says why; then the conversation goes on."""
    jobs = [bench_job("first", messages=2, conversation_id="talk"), bench_job("second", conversation_id="talk")]
    with lab.deployment({"limits": {"conversation_wait_max_s": 2}}, steps=2, delay_ms=500) as deployment:
        deployment.start_worker()
        deployment.submit(jobs[:1])
        wait_until(lambda: sum(deployment.model.paid_calls().values()) >= 1, 30, deployment.explain)
        deployment.run("job", "pause", "first", "--tenant", "rig")
        wait_for_state(deployment, "first", "paused")
        deployment.submit(jobs[1:])
        wait_for_state(deployment, "second", "deadline_exceeded")
        deployment.wait_for_results(1, 30)
        assert standing(deployment, "first")["state"] == "paused"
        deployment.run("job", "resume", "first", "--tenant", "rig")
        deployment.wait_for_results(2, 60)
        outcomes = {"first": ("completed",), "second": ("deadline_exceeded",)}
        exact = Exactness(deployment, jobs, outcome=lambda job, row: outcomes[job["job_id"]])
        exact.expect_good()
        assert exact.wasted == 0, f"{exact.wasted} calls recorded as wasted, none was"
        error = json.loads(exact.results[("rig", "second")].value())["error"]
        assert (error["type"], error["code"]) == ("limit", "CONVERSATION_BUSY"), error
        assert "2 s (limits.conversation_wait_max_s)" in error["message"] and "'first'" in error["message"], error


def ids_with_their_tenants(lab):
    """TENANT/JOB, as other commands print it, is understood; where it could mean two, none is touched."""
    twins = [bench_job("j1"), bench_job("rig/j1", tenant="default"), bench_job("a/b")]
    with lab.deployment() as deployment:
        deployment.start_worker()
        deployment.submit(twins)
        deployment.wait_for_results(3, 60)
        shown = json.loads(deployment.run("show", "rig/a/b", "--json"))["job"]
        assert (shown["tenant"], shown["job_id"]) == ("rig", "a/b"), shown
        assert "rig" in deployment.run("show", "a/b", "--tenant", "rig")
        for command in (("show", "rig/j1"), ("job", "cancel", "rig/j1")):
            _, err = deployment.answer(*command, code=2)
            assert "say which with --tenant default or --tenant rig" in err, err
        _, err = deployment.answer("job", "cancel", "default/rig/j1", "rig/a/b", code=1)
        assert "job default/rig/j1:" in err and "job rig/a/b:" in err, err
        _, err = deployment.answer("show", "nobody/here", code=1)
        assert 'no job "here" of tenant "nobody"' in err, err


def refuse_what_can_not_be(lab):
    """Each cause has its exit code, and nothing is changed."""
    with lab.deployment() as deployment:
        deployment.start_worker()
        deployment.submit([bench_job("done")])
        deployment.wait_for_results(1, 60)
        before = deployment.database.row("SELECT * FROM jobs")
        for action in ("cancel", "pause", "resume"):
            deployment.run("job", action, "done", "--tenant", "rig", code=1)  # it has ended
            deployment.run("job", action, "nobody", "--tenant", "rig", code=1)
            deployment.run("job", action, "done", "--tenant", "other", code=1)
            deployment.run("job", action, code=2)
        deployment.run("job", "list", "--state", "asleep", code=2)
        assert lines(deployment, "list", "--tenant", "other") == []
        assert deployment.database.row("SELECT * FROM jobs") == before


CASES = [
    Case("a running and a waiting job are cancelled", cancel_at_once),
    Case("a job is paused and resumed", pause_and_resume),
    Case("a job waits too long for its conversation", wait_too_long_for_a_conversation),
    Case("a job is named with its tenant", ids_with_their_tenants),
    Case("a job that has ended or isn't there is asked nothing", refuse_what_can_not_be),
]
