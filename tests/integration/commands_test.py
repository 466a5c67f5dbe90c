# SPDX-License-Identifier: Apache-2.0
"""Every command that looks or prepares, on a deployment where all is well: what it answers to a
person, to a program, to a terminal and to a reader that has gone."""

import json
import os
import signal
import subprocess

from case import Case
from pseudo_terminal import PseudoTerminal
from rig.jobs import bench_job
from rig.processes import Process
from rig.stack import program
from rig.waiting import wait_until

SHOW = "show first --tenant rig"
SUMMARY = {"tenant", "job_id", "conversation_id", "lane", "state", "outcome", "error_code", "attempt", "rounds",
           "steps", "tool_calls", "usage", "cost_micro_usd", "model", "worker", "created_at", "received_at",
           "started_at", "finished_at", "waits_for", "requested_by"}
MIGRATION = {"dry_run", "version_before", "version_after", "applied"}
NO_JOB = ('ba-agent: there is no job "nobody" of tenant "{}" in the ledger; '
          "`ba-agent job list` names those there are\n")

# Every command that reads the ledger.
READERS = ("job list", "job cancel a", "job fork a --round 0", "job resolve a --happened", "show a", "dlq list",
           "dlq show 1", "dlq redrive 1", "cache stats", "cache show", "cache purge --all", "artifact list",
           f"artifact show artifact_{'0' * 32}", "outbox verify", "submit --wait q", "tool run query_database {}",
           "export a", "report a")
# What is said to a person, on standard output.
TEXTS = {
    "version": "ba-agent ",
    "config check": "configuration is valid (",
    "config print": "kafka:\n",
    "migrate": "schema is at version ",
    "migrate --dry-run": "schema is at version ",
    "migrate --status": "schema version ",
    "topics create": "ok       ",
    "topics verify": "ok       ",
    "doctor": "PASS  postgres schema ",
    "job list": "rig/first",
    "dlq list": "BAD_JSON",
    SHOW: "call      query_database",
    "report rig/first": "Conversation Metrics Report\n============================\nConversation ID: ",
    "export rig/first": '[{"type":"human","data":{"content":',
    "results": "rig/first  completed",
    "results --max 1": "rig/first  completed",
    "results --tenant rig": "rig/first  completed",
}
# One document: its members, or those of each entry of a list.
DOCUMENTS = {
    "version": {"version", "commit", "database_schema", "messages"},
    "config check": {"ok", "file", "errors", "problems", "warnings", "notes"},
    "config print": {"file", "settings"},
    "migrate": MIGRATION,
    "migrate --dry-run": MIGRATION,
    "migrate --status": {"version", "expected", "last_migration", "last_applied_at", "problem", "usable"},
    "topics create": {"topic", "status", "message"},
    "topics verify": {"topic", "status", "message"},
    "doctor": {"ok", "checks"},
    "outbox verify": {"shards", "adopted"},
    SHOW: {"job", "request", "attempts", "rounds", "steps", "messages", "tool_calls", "compressions",
           "refused_contexts", "exact_counts", "summaries", "compressed_histories", "result", "metrics"},
}
# A line for each of them.
LINES = {
    "job list": SUMMARY,
    "dlq list": {"id", "kind", "reason", "field", "message", "at", "topic", "partition", "offset", "redrives"},
    "results": {"schema_version", "result_id", "tenant", "job_id", "conversation_id", "outcome", "answers", "usage",
                "cost_micro_usd", "cost_incomplete", "tool_calls", "tool_calls_failed", "wasted_model_calls", "metadata",
                "model", "rounds", "steps", "attempts", "created_at", "started_at", "finished_at", "worker_version"},
}


def start_with_history(deployment):
    """A worker that has answered one job and refused another."""
    deployment.start_worker()
    deployment.send([(b"key", b"{broken", [("content-type", b"application/json")])])
    deployment.submit([bench_job("first")])
    deployment.wait_for_results(1, 60)
    wait_until(lambda: deployment.database.value("SELECT count(*) AS n FROM dead_letters") == 1, 30,
               deployment.explain)


def command(line):
    return [program("ba-agent"), *line.split()]


def silent(deployment, line):
    """Standard output of a command that has no message, and colours for no file."""
    out, err = deployment.answer(*line.split())
    assert err == "", f"{line}: {err}"
    assert "\x1b" not in out, f"{line}: {out!r}"
    return out


def answers_people_and_programs(lab):
    with lab.deployment() as deployment:
        start_with_history(deployment)
        for line, piece in TEXTS.items():
            out = silent(deployment, line)
            assert piece in out, f"{line}: {out}"
        for line, members in DOCUMENTS.items():
            document = json.loads(silent(deployment, f"{line} --json"))
            for entry in document if isinstance(document, list) else [document]:
                assert entry.keys() == members, f"{line}: {document}"
        for line, members in LINES.items():
            (entry,) = map(json.loads, silent(deployment, f"{line} --json").splitlines())
            assert entry.keys() >= members, f"{line}: {entry.keys()} lacks {members - entry.keys()}"
        assert deployment.answer("outbox", "verify") == ("", "no outbox shard is stopped\n")
        assert deployment.answer("job", "list", "--state", "running") == ("", "no such jobs\n")
        assert deployment.answer("results", "--tenant", "other") == ("", "no such results\n")
        out, err = deployment.answer("show", "nobody", code=1)
        assert (out, err) == ("", NO_JOB.format("default"))
        _, err = deployment.answer("show", "other/nobody", code=1)
        assert err == NO_JOB.format("other"), err
        tells_whose_job_it_is(deployment)
        reports_a_whole_conversation(deployment)


def tells_whose_job_it_is(deployment):
    """The tenant that has it, to whoever named another one or none."""
    for line in ("show first", "job cancel first", "job resolve first --give-up", "job fork first --round 0",
                 "export first", "report first"):
        out, err = deployment.answer(*line.split(), code=1)
        assert out == "" and 'tenant "rig" has a job of that id: --tenant rig' in err, (line, out, err)
    out, err = deployment.answer("submit", "q", "--job-id", "rig/first", code=2)
    assert out == "" and "--tenant rig --job-id first" in err, (out, err)


def reports_a_whole_conversation(deployment):
    """Two jobs of one conversation, each with the same calls: twice the numbers of one, whoever reads them."""
    deployment.submit([dict(bench_job(name), conversation_id="talk") for name in ("second", "third")])
    deployment.wait_for_results(3, 60)
    one = json.loads(silent(deployment, "report rig/second --json"))
    assert one["job_id"] == "second" and one["successful_calls"] > 0, one
    assert silent(deployment, "report rig/second") == one["report"]
    other = json.loads(silent(deployment, "report third --tenant rig --json"))
    out, err = deployment.answer("report", "rig/talk", "--json")
    assert err == "note: of 2 jobs\n", err
    both = json.loads(out)
    assert "job_id" not in both and both["conversation_id"] == "talk", both
    for name in ("total_tokens", "total_duration_ms", "cost_micro_usd"):
        assert int(both[name]) == int(one[name]) + int(other[name]), (name, both)
    assert both["successful_calls"] == one["successful_calls"] + other["successful_calls"], both
    assert deployment.answer("report", "rig/talk") == (both["report"], err)
    out, err = deployment.answer("report", "nowhere", "--tenant", "rig", code=1)
    assert out == "" and 'no job "nowhere" of tenant "rig"' in err and "no conversation of that id" in err, err
    for command in ("report", "export"):
        out, err = deployment.answer(command, "rig/nowhere", code=1)
        assert out == "" and '"nowhere" of tenant "rig"' in err, err
    out, err = deployment.answer("report", "second", "--conversation", "--tenant", "rig", code=1)
    assert out == "" and 'no conversation "second" of tenant "rig"' in err, err


def doctor_looks_at_everything(lab):
    with lab.deployment() as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        report = json.loads(silent(deployment, "doctor --call --json"))
        assert sum(deployment.model.paid_calls().values()) == 1, "--call is one call"
        checks = {check["name"]: check for check in report["checks"]}
        wanted = {"configuration", "file descriptors", "model configuration", "kafka", "postgres",
                  "postgres schema", "postgres use", "postgres role", "clock", "outbox shards", "ledger", "provider scripted",
                  "model call scripted", "data source analytics", f"group {deployment.prefix}",
                  f"transactions {deployment.prefix}", "tools",
                  *(f"topic {topic}" for topic in deployment.topics.values())}
        assert checks.keys() == wanted, checks.keys() ^ wanted
        # The scripted model has no list of models to ask for, which its call makes up for.
        others = {name: check for name, check in checks.items() if check["status"] != "PASS"}
        assert not others, others
        (unlisted,) = (check for check in json.loads(silent(deployment, "doctor --json"))["checks"]
                       if check["status"] != "PASS")
        assert unlisted["name"] == "provider scripted" and "--call" in unlisted["remedy"], unlisted
        assert report["ok"] and "1 live worker" in checks["ledger"]["message"], report
        text = silent(deployment, "doctor --call")
        assert all(f"  {name}  " in text for name in wanted), text
        deployment.run("topics", "verify", "--set", f"kafka.topics.results={deployment.prefix}.none", code=1)
        deployment.run("doctor", "--set", f"kafka.topics.results={deployment.prefix}.none", code=1)


def no_worker_starts_on_wrong_topics(lab):
    with lab.deployment() as deployment:
        absent = f"{deployment.prefix}.none"
        for setting, named in ((f"kafka.topics.results={absent}", absent),
                               ("outbox.shards=7", deployment.topics["receipts"])):
            out, err = deployment.answer("worker", "--set", setting, code=78)
            assert named in out + err, (setting, out, err)


def what_is_missing_is_named_at_once(lab):
    """A topic, to the one who submits; the schema, to a worker that starts: both are the configuration's matter."""
    with lab.deployment() as deployment:
        absent = f"{deployment.prefix}.none"
        wanting = "has version 0, this program needs "
        for line in READERS:
            out, err = deployment.answer(*line.split(), "--set", "postgres.schema=nowhere", code=78)
            assert out == "" and wanting in err and "run `ba-agent migrate`" in err, (line, out, err)
        _, err = deployment.answer("submit", "q", "--set", f"kafka.topics.jobs={absent}", code=78)
        assert f"kafka: topic {absent} does not exist: run `ba-agent topics create`" in err, err
        out, err = deployment.answer("worker", "--set", "postgres.schema=nowhere", code=78)
        assert "run `ba-agent migrate`" in out + err, (out, err)


def only_a_terminal_gets_colours(lab):
    styles = {SHOW: "\x1b[1mrig/first\x1b[0m", "doctor": "\x1b[32mPASS\x1b[0m", "topics verify": "\x1b[32mok",
              "results": "\x1b[32mcompleted\x1b[0m"}
    with lab.deployment() as deployment:
        start_with_history(deployment)
        for line, styled in styles.items():
            plain = deployment.environment_of_programs(*line.split())
            plain.pop("NO_COLOR", None)
            for env in ({"TERM": "xterm"}, {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}):
                with PseudoTerminal(command(line), plain | env) as terminal:
                    assert terminal.wait(30) == 0, terminal.shown
                wanted = env == {"TERM": "xterm"}
                assert (styled in terminal.shown, "\x1b" in terminal.shown) == (wanted, wanted), terminal.shown


def following_ends_on_a_signal(lab):
    with lab.deployment() as deployment:
        start_with_history(deployment)
        for number in (signal.SIGINT, signal.SIGTERM):
            log = f"{lab.folder}/results-{number.name}.log"
            follow = Process("results", command("results --follow --from-beginning"), log,
                             deployment.environment_of_programs("results"))
            wait_until(lambda p=follow: "rig/first  completed" in p.tail(), 30, follow.tail)
            follow.signal(number)
            assert follow.wait(10) == 130, follow.tail()
            told = f"waiting for results on {deployment.topics['results']} (Ctrl-C ends)"
            assert follow.tail().count(told) == 1, follow.tail()


def a_reader_may_go(lab):
    """As head(1) does: the command says so, and ends, even one that would follow for ever."""
    with lab.deployment() as deployment:
        start_with_history(deployment)
        for line in (SHOW, f"{SHOW} --json", "job list", "dlq list --json", "config print", "doctor", "results",
                     "results --follow --from-beginning", "submit --wait question"):
            reading, writing = os.pipe()
            os.close(reading)
            with os.fdopen(writing, "wb") as nobody:
                run = subprocess.run(command(line), env=deployment.environment_of_programs(*line.split()),
                                     stdin=subprocess.DEVNULL, stdout=nobody, stderr=subprocess.PIPE, text=True, check=False, timeout=30)
            said = run.stderr.splitlines()[-1]
            assert run.returncode == 1, f"{line} ended with {run.returncode}: {run.stderr}"
            assert said.startswith("ba-agent: can't write to standard output"), f"{line}: {run.stderr}"


CASES = [
    Case("each command answers people and programs", answers_people_and_programs),
    Case("doctor looks at everything and finds all well", doctor_looks_at_everything),
    Case("no worker starts on wrong topics", no_worker_starts_on_wrong_topics, secure=False,
         why="a topic that isn't there is one without a right where rights are asked for: a worker waits for it"),
    Case("what is missing is named at once", what_is_missing_is_named_at_once, secure=False,
         why="a broker with ACLs tells nobody whether a topic without rights is there"),
    Case("only a terminal gets colours", only_a_terminal_gets_colours),
    Case("following results ends on a signal", following_ends_on_a_signal),
    Case("a reader of a command's output may go", a_reader_may_go),
]
