# SPDX-License-Identifier: Apache-2.0
"""Results too large for a conversation: kept beside it, read back by the next call, and by nobody else."""

import contextlib
import glob
import json
import os
import re
import signal

from case import Case
from rig import endpoints
from rig.database import psql
from rig.waiting import wait_until

ROWS = 1500
ALL_ROWS = 20000
LIMITS = {"row_limit": 5000, "result_bytes_max": 4 << 20}

# The answer is the first row that the artifact is read back with, or what the reader was told.
SCRIPT = f"""
entries:
  - when: {{regex: 'large (\\w+)'}}
    then:
      - tool_calls: [{{name: query_database,
                       args: {{sql: "SELECT n, repeat('x', 1000) AS pad FROM generate_series(1, {ROWS}) AS n"}}}}]
      - let: {{id: "{{{{observation.-1 | regex '(artifact_[0-9a-f]+)'}}}}"}}
        tool_calls: [{{name: file_reader,
                       args: {{artifact_id: '{{{{id}}}}', json_path: '$[*].n', offset: 700, limit: 1}}}}]
      - {{text: '{{{{match.1}}}} {{{{observation.-1}}}}'}}
  - when: {{regex: 'every (\\w+)'}}
    then:
      - tool_calls: [{{name: query_database,
                       args: {{sql: "SELECT n, repeat('x', 200) AS pad FROM generate_series(1, {ALL_ROWS}) AS n"}}}}]
      - let: {{id: "{{{{observation.-1 | regex '(artifact_[0-9a-f]+)'}}}}"}}
        tool_calls: [{{name: file_reader, args: {{artifact_id: '{{{{id}}}}', offset: 19990, limit: 1}}}},
                     {{name: file_reader, args: {{artifact_id: '{{{{id}}}}', json_path: '$[12345].n'}}}}]
      - {{text: '{{{{observation.-2}}}} {{{{observation.-1}}}}'}}
  - when: {{regex: 'steal (\\w+)'}}
    then:
      - tool_calls: [{{name: file_reader, args: {{artifact_id: '{{{{match.1}}}}'}}}}]
      - {{text: '{{{{observation.-1}}}}'}}
"""


@contextlib.contextmanager
def installation(lab, directory="", limits=LIMITS, **artifacts):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    source = {"name": "sales", "url": lab.stack.analytics_url, "tables": "none", **limits}
    settings = {"tools": {"data_sources": [source], "artifacts": {"directory": directory, **artifacts}},
                "http": {"enabled": True, "port": 0}}
    with lab.deployment(settings, scripts=[script]) as deployment:
        yield deployment


def job(name, question, **more):
    return {"tenant": "rig", "job_id": name, "messages": [question], **more}


def answer(deployment, name):
    rows = deployment.database.rows(
        f"SELECT final_answer FROM rounds r JOIN jobs j ON j.id = r.job WHERE j.job_id = '{name}'")
    return rows[0]["final_answer"]


def calls(deployment, name, tenant="rig"):
    return json.loads(deployment.run("show", f"{tenant}/{name}", "--json"))["tool_calls"]


def files_below(directory):
    return [name for name in glob.glob(directory + "/**", recursive=True) if os.path.isfile(name)]


def shown_by_command(deployment, lab, directory, artifact):
    """What `ba-agent artifact` tells of the one artifact that two jobs refer to."""
    listed = json.loads(deployment.run("artifact", "list", "--json"))
    assert [(one["id"], one["tenant"], one["jobs"], one["tools"]) for one in listed] == [
        (artifact, "rig", ["a", "b"], ["query_database"])], listed
    (known,) = listed
    assert known["bytes"] > 1 << 20 and known["kept_in"] == ("file" if directory else "database"), known
    for words, count in ((["--job", "rig/a"], 1), (["--tenant", "rig", "--conversation", "job:b", "--limit", "5"], 1),
                         (["--tenant", "other"], 0), (["--tenant", "rig", "--job", "thief"], 0)):
        assert len(deployment.run("artifact", "list", *words, "--jsonl").splitlines()) == count, words
    assert artifact in deployment.run("artifact", "list") and "query_database" in deployment.run("artifact", "list")
    assert json.loads(deployment.run("artifact", "show", artifact, "--json")) == known
    assert "rig" in deployment.run("artifact", "show", artifact)
    mine = ("artifact", "show", artifact, "--tenant", "rig", "--data")
    output = os.path.join(lab.folder, "data.json")
    deployment.run(*mine, "--output", output)
    with open(output, encoding="utf-8") as file:
        data = file.read()
    assert len(data) == known["bytes"] and len(json.loads(data)) == ROWS
    assert deployment.run(*mine, "--range", "10-29") == data[10:30]
    assert deployment.run(*mine, "--range", f"{len(data) - 5}-") == data[-5:]
    refusals = {(*mine,): (2, "--range FIRST-LAST"), (*mine, "--output", output): (2, "is there already"),
                (*mine, "--range", f"{len(data)}-"): (2, "the data has"),
                ("artifact", "show", artifact, "--tenant", "other", "--data"): (1, 'of tenant "other" is kept'),
                ("artifact", "show", artifact, "--tenant", "other"): (1, "`ba-agent artifact list`")}
    for words, (code, told) in refusals.items():
        out, err = deployment.answer(*words, code=code)
        assert not out and told in err, (words, err)
    if directory:
        unset = deployment.answer(*mine, "--set", "tools.artifacts.directory=", "--range", "0-9", code=78)[1]
        assert "tools.artifacts.directory isn't set" in unset, unset


def expect_counted(worker, size):
    """Two calls gave the same content, and each job read it once."""
    counts = {"kept_total": 1, "kept_bytes_total": size, "deduplicated_total": 1, "read_total": 2,
              'failures_total{operation="keep"}': 0}
    wait_until(lambda: all(endpoints.metric(worker, f"ba_artifacts_{name}") == count for name, count in counts.items()),
               10, lambda: endpoints.read(worker, "/metrics")[1])


def read_back(lab, directory):
    with installation(lab, directory) as deployment:
        worker = deployment.start_worker()
        for count, (name, question) in enumerate({"a": "large one", "b": "large two"}.items(), 1):
            deployment.submit([job(name, question)])
            deployment.wait_for_results(count, 60)
        assert "701" in answer(deployment, "a"), answer(deployment, "a")
        query, reading = calls(deployment, "a")
        assert query["artifact_id"].startswith("artifact_") and query["data_size_bytes"] > 1 << 20, query
        assert not reading["artifact_id"], reading
        telemetry = query["telemetry"]
        assert telemetry["attempts"] == 1 and telemetry["output_tokens"] > 100 and len(telemetry["execution_id"]) == 32, query
        # The same content is there once.
        assert calls(deployment, "b")[0]["artifact_id"] == query["artifact_id"]
        assert deployment.database.value("SELECT count(*) AS n FROM artifacts") == 1
        files = files_below(directory) if directory else []
        # Two chunks of each run: those of the second go when it is cleaned up.
        assert len(files) == (4 if directory else 0), files
        shown_by_command(deployment, lab, directory, query["artifact_id"])
        expect_counted(worker, query["data_size_bytes"])
        # Knowing its id grants nothing: to another conversation, to another tenant.
        stolen = [job("thief", f"steal {query['artifact_id']}"),
                  {**job("thief", f"steal {query['artifact_id']}"), "tenant": "other"}]
        deployment.submit(stolen)
        deployment.wait_for_results(4, 60)
        for tenant in ("rig", "other"):
            (call,) = calls(deployment, "thief", tenant)
            assert call["error_code"] == "ARTIFACT_NOT_FOUND", call
        # No real path is told to anybody.
        if directory:
            told = psql(deployment.database.url, "SELECT message FROM ba.messages") + deployment.explain()
            assert directory not in told, "a path is told"


def in_the_database(lab):
    read_back(lab, "")


def in_a_directory(lab):
    read_back(lab, os.path.join(lab.folder, "kept"))


def cleaned_up(lab):
    """What ended jobs referred to goes, files that crashes left too; what a paused one refers to stays."""
    directory = os.path.join(lab.folder, "kept")
    with installation(lab, directory, cleanup_interval_seconds=1) as deployment:
        worker = deployment.start_worker()
        deployment.submit([job("a", "large one")])
        deployment.wait_for_results(1, 60)
        (folder,) = os.listdir(directory)
        orphan = os.path.join(directory, folder, "artifact_" + "0" * 32 + ".1")
        half = os.path.join(directory, folder, "new-artifact_" + "0" * 32 + ".1")
        for name in (orphan, half):
            with open(name, "w", encoding="utf-8") as file:
                file.write("what a crash left")
            os.utime(name, (0, 0))
        wait_until(lambda: not files_below(directory), 30, lambda: str(files_below(directory)))
        assert deployment.database.value("SELECT count(*) AS n FROM artifacts") == 0
        assert deployment.database.value("SELECT count(*) AS n FROM artifact_references") == 0
        worker.signal(signal.SIGTERM)
        assert worker.wait(5) == 0, worker.tail()


def full_directory(lab):
    """A result that can't be kept is an answer all the same."""
    directory = os.path.join(lab.folder, "kept")
    with installation(lab, directory) as deployment:
        deployment.start_worker()
        deployment.submit([job("a", "large one")])
        deployment.wait_for_results(1, 60)
        (folder,) = os.listdir(directory)
        place = os.path.join(directory, folder)
        for name in files_below(directory):
            os.remove(name)
        os.rmdir(place)
        with open(place, "w", encoding="utf-8"):
            pass  # no file can be made below it any more
        deployment.submit([job("b", "large two")])
        deployment.wait_for_results(2, 60)
        (query, *_) = calls(deployment, "b")
        assert query["state"] == "succeeded" and not query["artifact_id"], query
        told = psql(deployment.database.url, "SELECT message FROM ba.messages")
        assert "The full data could not be stored" in told and directory not in told


def killed_in_between(lab):
    """Its result is stored, then its worker dies before anybody is told: the call runs again, no id leads nowhere."""
    with installation(lab) as deployment:
        worker = deployment.start_worker(crash_at="tool_finished:1")
        deployment.submit([job("a", "large one")])
        assert worker.wait(60) == -signal.SIGKILL, worker.tail()
        assert deployment.database.value("SELECT count(*) AS n FROM artifact_references") == 1
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        assert "701" in answer(deployment, "a"), answer(deployment, "a")
        assert deployment.database.value("""SELECT count(*) AS n FROM tool_calls t WHERE artifact_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.id = t.artifact_id)""") == 0


def every_row(lab):
    """By its defaults a source gives the model the first rows, and the artifact has all of them."""
    with installation(lab, limits={}) as deployment:
        deployment.start_worker()
        deployment.submit([job("a", "every row")])
        deployment.wait_for_results(1, 60)
        assert "19991" in answer(deployment, "a") and "12346" in answer(deployment, "a"), answer(deployment, "a")
        query, *_ = calls(deployment, "a")
        assert query["data_size_bytes"] > 4 << 20 and not query.get("note"), query
        told = psql(deployment.database.url, "SELECT message FROM ba.messages")
        assert re.search(r"19\d{3} more rows", told) and "List with 20000 items" in told, told[:10000]
        output = os.path.join(lab.folder, "all.json")
        deployment.run("artifact", "show", query["artifact_id"], "--tenant", "rig", "--data", "--output", output)
        with open(output, encoding="utf-8") as file:
            data = file.read()
        assert len(data) == query["data_size_bytes"] and [row["n"] for row in json.loads(data)] == list(range(1, ALL_ROWS + 1))


CASES = [
    Case("of 20,000 rows the model reads the first and reaches every one", every_row),
    Case("a large result is kept in the database and read back", in_the_database),
    Case("a large result is kept in a file and read back", in_a_directory),
    Case("kill -9 between a large result and its telling", killed_in_between),
    Case("artifacts of ended jobs go, and what crashes left", cleaned_up),
    Case("a result that can't be kept is an answer all the same", full_directory),
]
