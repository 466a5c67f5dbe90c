# SPDX-License-Identifier: Apache-2.0
"""What `dlq redrive` does to several things at once, from another round, with another job, and when it is
killed in the middle."""

import json
import os

from case import Case
from rig.database import psql
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.processes import Process
from rig.proxy import BOTH, Proxy
from rig.stack import program
from rig.topics import read_all
from rig.waiting import wait_until

JSON = [("content-type", b"application/json")]
REDRIVES = "SELECT count(*) AS n FROM redrives"
DELAY_SECONDS = 0.4  # of each piece that passes the slow network
LETTERS = "SELECT count(*) AS n FROM dead_letters"


def redrive(deployment, *arguments, code=0):
    """What it says became of each, by id."""
    said = deployment.run("dlq", "redrive", *arguments, "--json", code=code)
    return {line["id"]: line for line in map(json.loads, said.splitlines())}


def become(said):
    return {name: line["redrive"] for name, line in said.items()}


def wait_for_letters(deployment, count):
    wait_until(lambda: deployment.database.value(LETTERS) >= count, 60, deployment.explain)


def refuse(deployment, jobs):
    """Jobs of two rounds, by a worker that allows one; their dead letters by job id."""
    strict = deployment.start_worker(env={"BA__LIMITS__ROUNDS_PER_JOB_MAX": "1"})
    deployment.submit(jobs)
    deployment.send([(b"key", b"{broken", JSON)])
    wait_for_letters(deployment, len(jobs) + 1)
    strict.terminate()
    strict.wait(20)
    rows = deployment.database.rows("SELECT id, convert_from(record_value, 'UTF8') AS value FROM dead_letters")
    names = {job["job_id"] for job in jobs}
    return {next((n for n in names if f'"{n}"' in row["value"]), "broken"): str(row["id"]) for row in rows}


def several_at_once(lab):
    jobs = [bench_job(name, messages=2) for name in ("old", "young", "younger")]
    with lab.deployment() as deployment:
        ids = refuse(deployment, jobs)
        psql(deployment.database.url,
             f"UPDATE ba.dead_letters SET created_at = now() - interval '3 hours' WHERE id = {ids['old']}")
        reason = deployment.database.value(f"SELECT reason FROM dead_letters WHERE id = {ids['old']}")
        deployment.start_worker()
        young = {ids["young"], ids["younger"]}
        chosen = ("--reason", reason, "--since", "1h")

        said = redrive(deployment, *chosen, "--dry-run")
        assert become(said) == {name: "would_send" for name in young}, said
        warned = deployment.call("dlq", "redrive", ids["old"], ids["broken"], "--dry-run").stderr
        assert f"{ids['broken']}: a worker of this configuration will refuse it again: " in warned, warned
        assert "--edit FILE" in warned and warned.count("refuse it again") == 1, warned
        said = redrive(deployment, ids["old"], ids["broken"], "--dry-run")
        assert become(said) == {ids["old"]: "would_send", ids["broken"]: "would_send"}, said
        assert deployment.database.value(REDRIVES) == 0, "a dry run left something"

        said = redrive(deployment, *chosen)
        assert become(said) == {name: "sent" for name in young}, said
        deployment.wait_for_results(2, 60)
        said = redrive(deployment, *chosen, code=1)
        assert become(said) == {name: "kept" for name in young}, said
        said = redrive(deployment, ids["broken"], ids["old"])
        assert become(said) == {ids["old"]: "sent", ids["broken"]: "sent"}, said
        deployment.wait_for_results(3, 60)
        wait_for_letters(deployment, len(ids) + 1)  # what is broken still is
        deployment.records_sent += 4
        assert deployment.database.value(REDRIVES) == 4
        refuse_what_is_unclear(deployment, ids, chosen)
        Exactness(deployment, jobs).expect_good()


def refuse_what_is_unclear(deployment, ids, chosen):
    file = os.path.join(deployment.folder, "edit.json")
    with open(file, "w", encoding="utf-8") as out:
        out.write("{}")
    for arguments, code in (
            ((), 2), ((ids["old"], *chosen), 2), ((ids["old"], ids["young"], "--edit", file), 2),
            ((ids["old"], ids["young"], "--as", "other"), 2), ((*chosen, "--edit", file), 2),
            (("999999", ids["old"], "--again"), 1), (("rig/nobody",), 1),
            ((ids["old"], "--from-round", "1", "--again"), 1)):
        deployment.run("dlq", "redrive", *arguments, code=code)
    assert deployment.database.value(REDRIVES) == 4, "something was redriven all the same"


def die_in_the_second_round(deployment, job):
    """And nobody tries again."""
    deployment.submit([job])
    worker = deployment.start_worker(crash_at="reply_committed:2")
    assert worker.wait(60) == -9, worker.tail()
    deployment.start_worker()
    deployment.wait_for_results(1, 60)


def from_another_round(lab):
    """Rounds before it keep their answers, and nothing of them is paid for again."""
    job = bench_job("dead", messages=3)
    with lab.deployment({"limits": {"attempts_max": 1}}, steps=1) as deployment:
        die_in_the_second_round(deployment, job)
        before = deployment.model.paid_calls()
        for number, made in ((1, "from-1"), (0, "from-0")):
            wish = ("rig/dead", "--from-round", str(number), "--as", made, "--again")
            said = redrive(deployment, *wish, "--dry-run")
            assert become(said) == {"rig/dead": "would_run"}, said
            said = redrive(deployment, *wish)
            assert said == {"rig/dead": {"id": "rig/dead", "redrive": "runs", "new_job": f"rig/{made}"}}, said
            deployment.wait_for_results(3 - number, 60)
            paid = deployment.model.paid_calls()
            asked = {question for question in job["messages"] if paid[question] > before[question]}
            assert asked == set(job["messages"][number:]), f"from round {number} these were asked: {asked}"
            before = paid
        deployment.run("dlq", "redrive", "rig/dead", "--from-round", "3", "--again", code=1)  # it has three messages
        deployment.run("dlq", "redrive", "rig/dead", "--from-round", "2", "--again", code=1)  # one is answered
        deployment.run("dlq", "redrive", "rig/dead", "--from-round", "-1", "--again", code=2)
        assert deployment.database.value("SELECT count(*) AS n FROM jobs") == 3


def with_another_job(lab):
    """The job's JSON, edited: it runs from its first round on unless told otherwise, in the same tenant."""
    with lab.deployment({"limits": {"attempts_max": 1}}, steps=1) as deployment:
        die_in_the_second_round(deployment, bench_job("dead", messages=2))
        file = os.path.join(lab.folder, "edited.json")

        def edit(**job):
            with open(file, "w", encoding="utf-8") as out:
                json.dump(job, out)
            return "dlq", "redrive", "rig/dead", "--edit", file, "--again"

        other = {"tenant": "other", "job_id": "other", "messages": ["bench edited 0", "bench edited 1"]}
        deployment.run(*edit(**other), "--dry-run")
        deployment.run(*edit(**other), "--as", "edited")
        deployment.wait_for_results(2, 60)
        deployment.run(*edit(**other), "--as", "half-edited", "--from-round", "1")
        deployment.wait_for_results(3, 60)
        paid = deployment.model.paid_calls()
        steps = {row["job_id"]: row["steps"] for row in deployment.database.rows("SELECT job_id, steps FROM jobs")}
        assert set(steps) == {"dead", "edited", "half-edited"}, steps
        assert deployment.database.value("SELECT count(*) AS n FROM jobs WHERE tenant <> 'rig'") == 0
        # The kept round is the dead job's, so its edited question is asked by the first of the two only.
        assert paid["bench edited 0"] == 2 and paid["bench edited 1"] == 4, paid
        refused = deployment.call(*edit(tenant="rig", job_id="x", messages=[]))
        assert refused.returncode == 1 and "messages" in refused.stderr, refused
        redrives = deployment.database.rows("SELECT new_job_id, from_round, edited FROM redrives ORDER BY id")
        assert [tuple(row.values()) for row in redrives] == [("edited", 0, True), ("half-edited", 1, True)], redrives


def kill_redrive(deployment, letter, file, seen, env=None):
    """With -9, once `seen` is true."""
    environment = deployment.environment_of_programs("dlq", "redrive") | (env or {})
    process = Process("dlq-redrive", [program("ba-agent"), "dlq", "redrive", letter, "--edit", file],
                      f"{deployment.folder}/dlq-redrive.log", environment)
    wait_until(lambda: seen() or process.exit_code is not None, 30, process.tail)
    assert process.exit_code is None, f"it ended by itself: {process.tail()}"
    process.kill()


def broken_letter(deployment, job):
    """A record that is no job, and the file that mends it."""
    deployment.send([(b"key", b"{broken", JSON)])
    deployment.start_worker()
    wait_for_letters(deployment, 1)
    file = os.path.join(deployment.folder, "mended.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump(job, out)
    return str(deployment.database.value("SELECT id FROM dead_letters")), file


def expect_that_nobody_knows(deployment, letter):
    said = deployment.run("dlq", "show", letter)
    assert "a redrive was begun" in said and "nobody knows whether the record was sent" in said, said
    (listed,) = map(json.loads, deployment.run("dlq", "list", "--json").splitlines())
    assert [entry["sent"] for entry in listed["redrives"]] == [False], listed
    said = deployment.run("dlq", "redrive", letter, code=1)
    assert "kept" in said and "nobody knows" in said and "--again" in said, said


def killed_before_it_sends(lab):
    """On a network so slow that there is time between the note and the record."""
    job = bench_job("mended")
    host, port = lab.stack.brokers_behind_proxy.split(":")
    slow = Proxy((host, int(port)), int(lab.stack.brokers_proxy.split(":")[1]))
    try:
        with lab.deployment() as deployment:
            letter, file = broken_letter(deployment, job)
            slow.delay(DELAY_SECONDS)
            env = {"BA__KAFKA__BROKERS": slow.address}
            kill_redrive(deployment, letter, file, lambda: deployment.database.value(REDRIVES), env)
            slow.swallow(BOTH)
            expect_that_nobody_knows(deployment, letter)
            topic = deployment.topics["jobs"]
            assert len(read_all(lab.stack.brokers, [topic])[topic]) == 1, "the record was sent already"
            deployment.run("dlq", "redrive", letter, "--edit", file, "--again")
            deployment.records_sent += 1
            deployment.wait_for_results(1, 60)
            Exactness(deployment, [job]).expect_good()
    finally:
        slow.close()


def killed_before_it_notes(lab):
    """The record is sent: sending it again gives no second result, since the job has its id."""
    job = bench_job("mended")
    with lab.deployment() as deployment:
        letter, file = broken_letter(deployment, job)
        psql(deployment.database.url, """
            CREATE FUNCTION ba.hang() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN PERFORM pg_sleep(600); RETURN NULL; END';
            CREATE TRIGGER hang BEFORE UPDATE ON ba.redrives EXECUTE FUNCTION ba.hang();""")
        kill_redrive(deployment, letter, file, lambda: deployment.finished() == 1)
        deployment.database.administer("""
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND wait_event = 'PgSleep';
            DROP TRIGGER hang ON ba.redrives;""")
        expect_that_nobody_knows(deployment, letter)
        deployment.run("dlq", "redrive", letter, "--edit", file, "--again")
        deployment.records_sent += 2
        taken_in = "SELECT sum(next_offset) = 3 AS v FROM intake_offsets"
        wait_until(lambda: deployment.database.value(taken_in), 30, deployment.explain)
        Exactness(deployment, [job]).expect_good()


CASES = [
    Case("several dead letters are redriven at once", several_at_once),
    Case("a dead job is run on from another round", from_another_round),
    Case("a dead job is run on as another job", with_another_job),
    Case("dlq redrive, kill -9 before it sends", killed_before_it_sends),
    Case("dlq redrive, kill -9 before it notes that it sent", killed_before_it_notes),
]
