# SPDX-License-Identifier: Apache-2.0
"""`ba-agent submit`: jobs from wherever they come, and the wait for their answers, which looks into
the ledger, or only at the results topic where no ledger is configured."""

import functools
import json
import os
import signal
import subprocess
import urllib.parse

from case import Case
from pseudo_terminal import PseudoTerminal
from rig.processes import Process
from rig.proxy import Proxy
from rig.stack import program
from rig.topics import read_all
from rig.waiting import wait_until

WATCHES = {"the ledger": (), "the results topic": ("--set", "postgres.url=")}
PLACE = {"tenant", "job_id", "conversation_id", "topic", "partition", "offset"}


def write(lab, name, text):
    path = os.path.join(lab.folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def takes_jobs_from_everywhere(lab):
    """Each form once; a job says where it is, and nothing else stands on standard output."""
    def job(name):
        return {"tenant": "rig", "job_id": name, "messages": [f"bench {name} 0"]}
    listed = write(lab, "list.json", json.dumps([job("list-1"), job("list-2")]))
    lines = write(lab, "jobs.jsonl", "".join(json.dumps(job(f"line-{i}")) + "\n" for i in range(2)))
    forms = [  # the arguments, what is piped in, the jobs
        (("--tenant", "rig", "--job-id", "typed", "bench typed 0", "bench typed 1"), "", ["typed"]),
        (("--tenant", "rig", "--job-id", "piped", "-"), "bench piped 0", ["piped"]),
        (("--file", listed), "", ["list-1", "list-2"]),
        (("--file", lines, "--lane", "high"), "", ["line-0", "line-1"]),
        (("--file", "-"), json.dumps(job("document")), ["document"]),
        (("-",), json.dumps(job("recognised"), indent=1), ["recognised"]),
    ]
    with lab.deployment() as deployment:
        deployment.start_worker()
        for arguments, given, names in forms:
            out, err = deployment.answer("submit", *arguments, given=given)
            assert out.split() == names, out
            assert err.count("submitted rig/") == len(names), err
        out, err = deployment.answer("submit", "--json", "--meta", "a=b", "bench meant 0")
        place = json.loads(out)
        assert (place.keys(), place["topic"], err) == (PLACE, deployment.topics["jobs"], ""), (out, err)
        high = read_all(deployment.stack.brokers, [deployment.topics["jobs_high"]])[deployment.topics["jobs_high"]]
        assert sorted(json.loads(record.value())["job_id"] for record in high) == ["line-0", "line-1"], high
        count = sum(len(names) for *_, names in forms) + 1
        deployment.wait_for_results(count, 60)
        rows = deployment.database.rows("SELECT outcome, count(*) AS n, sum(rounds) AS rounds FROM jobs GROUP BY 1")
        assert rows == [{"outcome": "completed", "n": count, "rounds": count + 1}], rows
        deployment.answer("submit", "--file", os.path.join(lab.folder, "none.json"), code=1)
        deployment.answer("submit", "--job-id", "piped", "-", given="bench piped 0\n")
        wait_until(lambda: deployment.database.value("SELECT count(*) AS n FROM jobs WHERE job_id = 'piped'"), 30, str)
        told = json.loads(deployment.answer("show", "piped", "--json")[0])
        assert told["rounds"][0]["user_message"] == "bench piped 0", told["rounds"]
        out, err = deployment.answer("submit", "-", given='{"messages": []}', code=1)
        assert (out, "messages" in err) == ("", True), (out, err)


def the_exit_code_says_how_it_ended(watch, lab):
    with lab.deployment({"limits": {"rounds_per_job_max": 1}}) as deployment:
        submit = functools.partial(deployment.answer, "submit", "--wait", *watch)
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        out, err = submit("bench answered 0", "--job-id", "answered")
        assert out.startswith("observation ") and out.count("\n") == 1, out
        assert "submitted default/answered as " in err, err
        assert "default/answered: completed · 1 round · 2 steps" in err and "\x1b" not in err, err
        out, err = submit("--json", "bench twice 0")
        assert (json.loads(out)["outcome"], err) == ("completed", ""), (out, err)
        out, err = submit("--quiet", "--model", "none", "a question", code=3)
        assert (out, "INVALID_JOB: model 'none' is not configured" in err) == ("", True), (out, err)
        if not watch:  # the topic of results says nothing of records that are no jobs
            _, err = submit("one", "two", "--set", "limits.rounds_per_job_max=2", code=3)
            assert "was refused: messages: has 2 entries, the limit is 1 (TOO_LARGE)" in err, err
        worker.terminate()
        assert worker.wait(20) == 0, worker.tail()

        pair = json.dumps([{"job_id": name, "messages": ["bench"]} for name in ("late-1", "late-2")])
        out, err = submit("--timeout", "0.4", "--file", "-", given=pair, code=75)
        state = "the work goes on" if watch else "no worker is alive"
        assert out == "" and f"no result of late-1 and 1 more within 0.40 s; {state}" in err, (out, err)
        for number in (signal.SIGINT, signal.SIGTERM):
            waiting = Process("submit", [program("ba-agent"), "submit", "--wait", *watch, "never"],
                              f"{lab.folder}/{number.name}.log",
                              deployment.environment_of_programs("submit", "--wait", *watch))
            wait_until(lambda p=waiting: "on the jobs topic" in p.tail(), 30, waiting.tail)
            waiting.signal(number)
            assert waiting.wait(10) == 130, waiting.tail()
            assert "ba-agent: interrupted; the work goes on" in waiting.tail(), waiting.tail()


def an_id_that_was_used_before_is_told(lab):
    """The same job again: its one result. Another job under that id: the same, and that it was not run."""
    with lab.deployment() as deployment:
        deployment.start_worker()
        submit = functools.partial(deployment.answer, "submit", "--wait", "--job-id", "used")
        first, err = submit("bench used 0")
        assert "known" not in err, err
        out, err = submit("bench used 0")
        assert (out, "default/used is known since" in err, "NOT run" in err) == (first, True, False), (out, err)
        assert submit("bench used 0", "--quiet", "--json")[1] == ""
        out, err = submit("bench other 0", "--quiet", code=3)
        assert (out, "ba-agent: default/used is known since" in err, "NOT run" in err) == (first, True, True), (out, err)
        assert deployment.database.value("SELECT count(*) AS n FROM jobs") == 1


def a_conversation_is_new_or_goes_on(lab):
    """A name that was mistyped is seen before its answer comes; nothing of it stands on standard output."""
    with lab.deployment() as deployment:
        deployment.start_worker()
        submit = functools.partial(deployment.answer, "submit", "--wait", "--tenant", "rig", "--conversation")
        _, err = submit("sales", "bench first 0")
        assert err.startswith("conversation rig/sales is new\n"), err
        out, err = submit("sales", "bench second 0", "--json")
        assert (json.loads(out)["outcome"], err) == ("completed", "continues conversation rig/sales (1 job)\n"), err
        _, err = submit("sale", "bench third 0", "--set", "postgres.url=")
        assert "conversation" not in err, err
        assert submit("sales", "bench fourth 0", "--quiet", "--json")[1] == ""


def a_terminal_shows_one_live_line(watch, lab):
    """It is redrawn while the job runs, and gone when the answer comes, or Ctrl-C."""
    with lab.deployment(delay_ms=700) as deployment:
        env = deployment.environment_of_programs("submit", "--wait", *watch) | {"TERM": "xterm"}
        submit = [program("ba-agent"), "submit", "--wait", *watch, "--job-id"]
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        with PseudoTerminal([*submit, "seen", "bench seen 0", "bench seen 1"], env) as terminal:
            assert terminal.wait(60) == 0, terminal.shown
        drawn = terminal.shown.count("\r\x1b[2K\x1b[?7l")
        assert drawn > 4, f"drawn {drawn} times: {terminal.shown!r}"
        stage = "seen · on the jobs topic · " if watch else "seen · round 1 (2 of 2) · 2 steps · asking the model · "
        assert stage in terminal.shown, terminal.shown
        rows = terminal.rows()
        assert rows[0].startswith("submitted default/seen as "), rows
        assert rows[1] == "[1] bench seen 0" and rows[2].startswith("observation "), rows
        assert rows[-2].startswith("default/seen: completed · 2 rounds · ") and rows[-1] == "", rows

        worker.terminate()
        assert worker.wait(20) == 0, worker.tail()
        with PseudoTerminal([*submit, "left", "never"], env) as terminal:
            wait_until(lambda: "left · on the jobs topic" in terminal.read(), 30, lambda: terminal.shown)
            terminal.type("\x03")
            assert terminal.wait(10) == 130, terminal.shown
        rows = [row for row in terminal.rows() if row]
        assert rows[0].startswith("submitted default/left as "), rows
        assert rows[1:] == ["ba-agent: interrupted; the work goes on (`ba-agent show`)"], rows


def whoever_waits_keeps_the_id(lab):
    """A database that goes down while an answer is waited for: the job is on its topic, and is named."""
    with lab.deployment() as deployment:
        address = urllib.parse.urlsplit(deployment.database.url)
        database = Proxy((address.hostname, address.port))
        try:
            deployment.environment["BA_POSTGRES_URL"] = deployment.database.url.replace(
                f":{address.port}/", f":{database.port}/")
            submit = [program("ba-agent"), "submit", "--wait"]
            errors = lose_database_while_waiting(deployment, database, [*submit, "one"])[1].splitlines()
            name = errors[0].removeprefix("submitted ").split(" as ")[0]
            assert "; the work goes on (`ba-agent show`): don't submit it again" in errors[-1], errors
            out, err = lose_database_while_waiting(deployment, database, [*submit, "--json", "two"])
            assert json.loads(out).keys() == PLACE and "don't submit it again" in err, (out, err)
            other = json.loads(out)["job_id"]
            _, err = lose_database_while_waiting(deployment, database, [*submit, "--quiet", "three"])
            assert err.startswith("submitted default/job-"), err

            database.refuse()
            before = deployment.records_on("jobs")
            out, err = deployment.answer("submit", "--wait", "four", code=69)
            assert out == "" and "nothing was submitted" in err, (out, err)
            assert deployment.records_on("jobs") == before == 3
        finally:
            database.close()
        del deployment.environment["BA_POSTGRES_URL"]
        deployment.start_worker()
        deployment.wait_for_results(3, 60)
        for job in (name, f"default/{other}"):
            assert deployment.answer("show", job)[0]


def lose_database_while_waiting(deployment, database, command):
    """What the command writes when its database goes down after the job was sent."""
    database.heal()
    before = deployment.records_on("jobs")
    waiting = subprocess.Popen(command, env=deployment.environment_of_programs("submit"), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        wait_until(lambda: deployment.records_on("jobs") > before, 30, "the job is sent")
        database.refuse()
        out, err = waiting.communicate(timeout=60)
    finally:
        waiting.kill()
        waiting.wait()
    assert waiting.returncode == 69, (waiting.returncode, out, err)
    return out, err


def without_a_worker_nobody_promises(lab):
    with lab.deployment() as deployment:
        out, err = deployment.answer("submit", "--wait", "--timeout", "20", "--job-id", "lone", "q", code=75)
        assert out == "" and err.count("no worker is alive: start `ba-agent worker`") == 2, (out, err)
        assert "no result of lone within 20.0 s; no worker is alive" in err and "goes on" not in err, err


CASES = [
    Case("submit takes jobs from everywhere", takes_jobs_from_everywhere),
    Case("submit says that an id was used before", an_id_that_was_used_before_is_told),
    Case("submit --wait says whether a conversation is new", a_conversation_is_new_or_goes_on),
    Case("submit --wait keeps the id when the database goes down", whoever_waits_keeps_the_id),
    Case("submit --wait says that no worker is alive", without_a_worker_nobody_promises),
    *(Case(f"the exit code of submit --wait says how it ended, by {name}",
           functools.partial(the_exit_code_says_how_it_ended, watch)) for name, watch in WATCHES.items()),
    *(Case(f"submit --wait shows one live line on a terminal, by {name}",
           functools.partial(a_terminal_shows_one_live_line, watch)) for name, watch in WATCHES.items()),
]
