# SPDX-License-Identifier: Apache-2.0
"""Dead letters and dead jobs redriven by command."""

import base64
import json

from case import Case
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.waiting import wait_until

JSON = [("content-type", b"application/json")]


def lines(deployment, *arguments, code=0):
    return [json.loads(line) for line in deployment.run(*arguments, "--json", code=code).splitlines()]


def mend_a_record(lab):
    """A record that is no job is listed, shown, sent again with other bytes, and only once unawares."""
    job = bench_job("mended")
    with lab.deployment() as deployment:
        deployment.send([(b"key", b"{broken", JSON)])
        deployment.start_worker()
        (letter,) = wait_until(lambda: lines(deployment, "dlq", "list", "--reason", "BAD_JSON"), 30,
                               deployment.explain)
        (shown,) = lines(deployment, "dlq", "show", letter["id"])
        assert (shown["value"], shown["topic"]) == ("{broken", deployment.topics["jobs"]), shown
        message = shown["dead_letter"]
        assert (message["code"], message["topic"]) == ("BAD_JSON", deployment.topics["jobs"]), shown
        assert base64.b64decode(message["value"]) == b"{broken", shown
        file = f"{lab.folder}/mended.json"
        with open(file, "w", encoding="utf-8") as text:
            json.dump(job, text)
        redrive = ("dlq", "redrive", letter["id"], "--edit", file, "--by", "a test")
        (said,) = lines(deployment, *redrive, "--dry-run")
        assert said["redrive"] == "would_send", said
        (said,) = lines(deployment, *redrive)
        assert said["redrive"] == "sent", said
        deployment.records_sent += 1
        deployment.wait_for_results(1, 60)
        (said,) = lines(deployment, *redrive, code=1)
        assert said["redrive"] == "kept", said
        (listed,) = lines(deployment, "dlq", "list")
        assert [r["by"] for r in listed["redrives"]] == ["a test"], listed
        Exactness(deployment, [job]).expect_good()


def run_a_dead_job_on(lab):
    """A job that crashed its workers goes on, as a new job, from the step where it had stopped."""
    job = bench_job("deadly")
    with lab.deployment({"limits": {"attempts_max": 1}}, steps=2) as deployment:
        deployment.submit([job])
        crashed = deployment.start_worker(crash_at="reply_committed:1")
        crashed.wait(60)
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        (dead,) = lines(deployment, "dlq", "list")
        assert (dead["id"], dead["reason"]) == ("rig/deadly", "ATTEMPTS_EXHAUSTED"), dead
        assert "deadly" in deployment.run("dlq", "show", "rig/deadly")
        (shown,) = lines(deployment, "dlq", "show", "rig/deadly")
        message = shown["dead_letter"]
        assert (message["code"], message["job_id"]) == ("ATTEMPTS_EXHAUSTED", "deadly"), shown
        assert message["conversation"]["messages"], shown
        assert lines(deployment, "dlq", "list", "--tenant", "rig") == [dead]
        assert lines(deployment, "dlq", "list", "--tenant", "other") == []
        assert lines(deployment, "dlq", "redrive", "--tenant", "other") == []
        paid = sum(deployment.model.paid_calls().values())
        (said,) = lines(deployment, "dlq", "redrive", "rig/deadly", "--dry-run")
        assert said == {"id": "rig/deadly", "redrive": "would_run", "new_job": "rig/deadly.redrive-1"}, said
        (said,) = lines(deployment, "dlq", "redrive", "--tenant", "rig")
        assert said["redrive"] == "runs", said
        deployment.wait_for_results(2, 60)
        row = deployment.database.row(
            "SELECT j.outcome, j.steps, j.input_tokens, j.created_at >= s.finished_at AS waits_from_now, r.message::text AS question,"
            " (SELECT message::text FROM rounds WHERE job = s.id AND round = 0) AS asked"
            " FROM jobs j JOIN rounds r ON r.job = j.id AND r.round = 0, jobs s"
            " WHERE j.job_id = 'deadly.redrive-1' AND s.job_id = 'deadly'")
        total = sum(deployment.model.paid_calls().values())
        assert row["outcome"] == "completed" and row["waits_from_now"], row
        dates = [json.loads(row[name])["data"]["additional_kwargs"]["job_time"] for name in ("question", "asked")]
        assert dates[0] == dates[1], f"the day on which it was asked stays: {dates}"
        # The first reply was paid for by the source: the copy has it as a step, and asked for the rest.
        assert total - paid == row["steps"] - 1, f"{total - paid} calls paid for {row['steps']} steps"


def fork_a_job(lab):
    """A new job with the answers of another up to a round, and another question from there on."""
    job = bench_job("source", messages=2)
    with lab.deployment(steps=1) as deployment:
        deployment.start_worker()
        deployment.submit([job])
        deployment.wait_for_results(1, 60)
        (made,) = lines(deployment, "job", "fork", "source", "--tenant", "rig", "--round", "1",
                        "--message", "bench forked 1", "--as", "branch")
        assert made["rounds_kept"] == 1, made
        created = dict(row.values() for row in deployment.database.rows(
            "SELECT j.job_id, j.created_at >= s.finished_at FROM jobs j, jobs s WHERE s.job_id = 'source'"))
        assert created == {"source": False, "branch": True}, "a fork is created when it is made"
        deployment.wait_for_results(2, 60)
        paid = deployment.model.paid_calls()
        assert paid["bench forked 1"] > 0 and paid["bench source 1"] > 0, paid
        rounds = deployment.database.rows(
            "SELECT j.job_id, r.round, r.final_answer FROM rounds r JOIN jobs j ON j.id = r.job ORDER BY 1, 2")
        answers = {(r["job_id"], r["round"]): r["final_answer"] for r in rounds}
        assert answers[("branch", 0)] == answers[("source", 0)], answers
        assert ("branch", 1) in answers, answers
        once = deployment.database.value(
            "SELECT count(*) AS n FROM steps s JOIN jobs j ON j.id = s.job WHERE j.job_id = 'source' AND s.round = 0")
        assert paid["bench source 0"] == once, "the kept round was asked again"
        fork = ("job", "fork", "source", "--tenant", "rig", "--message", "why?")
        deployment.run(*fork, "--round", "2", "--set", "limits.rounds_per_job_max=2", code=1)  # a third message
        deployment.run(*fork, "--round", "3", code=1)  # it has two answered rounds
        deployment.run(*fork, "--round", "1", "--as", "branch", code=1)  # there is such a job
        deployment.run("job", "fork", "nobody", "--tenant", "rig", "--round", "0", code=1)
        deployment.run(*fork, "--round", "-1", code=2)
        assert deployment.database.value("SELECT count(*) AS n FROM jobs") == 2


CASES = [
    Case("a dead letter is mended and sent again", mend_a_record),
    Case("a dead job goes on where it had stopped", run_a_dead_job_on),
    Case("a job is forked from a round", fork_a_job),
]
