# SPDX-License-Identifier: Apache-2.0
"""A conversation that outgrows its model's window: old rounds become summaries, by rule or by another model, and what the
model is sent is the same again after kill -9."""

import json
import os

from case import Case
from rig.exactness import Exactness

SIGKILLED = -9
ROUNDS = 14
# What the model sees of earlier rounds, it says.
SCRIPT = """
entries:
  - when: {prefix: 'Round '}
    then: [{text: 'a summary of it all'}]
  - when: {regex: 'part (\\d+)'}
    then:
      - tool_calls: [{name: file_reader, args: {path: 'part.txt', output_level: full}}]
      - {text: 'part {{match.1}} with {{rounds}} rounds in sight'}
"""


def settings(lab):
    folder = os.path.join(lab.folder, "files")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "part.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(f"line {number}: what was measured on that day" for number in range(60)))
    return {"tools": {"files": {"roots": [{"name": "data", "path": folder}]}}, "agents": {"default": {"tools": ["file_reader"]}},
            "context": {"summary": {"model": "off"}},  # extracts alone, as long as nothing else is chosen
            "llm": {"models": {"scripted": {"context_window": 8000, "max_output_tokens": 500}}}}


def with_summaries(lab):
    changed = settings(lab)
    changed["llm"]["models"]["small"] = {"provider": "scripted", "model_id": "small-1", "context_window": 30000,
                                         "max_output_tokens": 500}
    changed["context"] = {"mode": "summarize", "summary": {"model": "small", "max_input_tokens": 10000}}
    return changed


def installation(lab, chosen=settings):
    script = os.path.join(lab.folder, "script.yaml")
    os.makedirs(lab.folder, exist_ok=True)
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    return lab.deployment(chosen(lab), scripts=[script])


def job(name):
    return {"tenant": "rig", "job_id": name, "messages": [f"part {number}" for number in range(ROUNDS)]}


def answers(deployment, name):
    return [row["final_answer"] for row in deployment.database.rows(
        "SELECT final_answer FROM rounds r JOIN jobs j ON j.id = r.job"
        f" WHERE j.job_id = '{name}' ORDER BY r.round")]


def compressions(deployment, name):
    return deployment.database.value(
        f"SELECT report FROM metrics m JOIN jobs j ON j.id = m.job WHERE j.job_id = '{name}'")["compression_events"]


def assert_tokens_of_calls_are_counted(deployment, name):
    report = deployment.database.value(
        f"SELECT report FROM metrics m JOIN jobs j ON j.id = m.job WHERE j.job_id = '{name}'")
    reader = report["tools"][0]
    assert reader["tool_name"] == "file_reader" and reader["avg_tokens"] > 500, report


def in_sight(text):
    return int(text.split(" with ")[1].split()[0])


def a_long_conversation_goes_on(lab):
    with installation(lab) as deployment:
        worker = deployment.start_worker()
        deployment.submit([job("whole")])
        deployment.wait_for_results(1, 60)
        Exactness(deployment, [job("whole")]).expect_good()
        said = answers(deployment, "whole")
        seen = [in_sight(text) for text in said]
        assert len(said) == ROUNDS and seen[0] in (0, 1) and max(seen) < ROUNDS - 1, said
        assert any(later < earlier for earlier, later in zip(seen, seen[1:])), said
        assert compressions(deployment, "whole") >= 2, compressions(deployment, "whole")
        assert_tokens_of_calls_are_counted(deployment, "whole")
        log = worker.tail(100000)
        lines = [json.loads(line) for line in log.splitlines() if '"history compressed"' in line]
        assert len(lines) == compressions(deployment, "whole"), log
        assert all(line["tokens_after"] < line["tokens_before"] and line["mode"] == "extract" for line in lines), lines


def kill_nine_changes_nothing_of_it(lab):
    with installation(lab) as deployment:
        first = deployment.start_worker(crash_at="reply_received:21")
        deployment.submit([job("killed")])
        assert first.wait(60) == SIGKILLED, first.tail()
        deployment.start_worker()
        deployment.submit([job("other")])
        deployment.wait_for_results(2, 60)
        assert answers(deployment, "killed") == answers(deployment, "other"), answers(deployment, "killed")
        assert compressions(deployment, "killed") == compressions(deployment, "other") >= 2


def summaries(deployment, name):
    return deployment.database.rows(
        "SELECT s.state, s.summary, s.model, s.after_round, s.after_step, s.reused FROM summaries s JOIN jobs j ON j.id = s.job"
        f" WHERE j.job_id = '{name}' ORDER BY s.round, s.step")


def another_model_writes_the_summaries(lab):
    with installation(lab, with_summaries) as deployment:
        deployment.start_worker()
        deployment.submit([job("whole")])
        deployment.wait_for_results(1, 60)
        rows = summaries(deployment, "whole")
        written = [row for row in rows if row["state"] == "ready"]
        assert written and all(row["summary"] == "a summary of it all" for row in written), rows
        assert all(row["model"] == "scripted/small-1" for row in written if not row["reused"]), rows
        kept = deployment.database.rows(
            "SELECT c.round, c.message::text AS message FROM compressed_messages c JOIN jobs j ON j.id = c.job"
            " WHERE j.job_id = 'whole' ORDER BY c.round, c.n")
        assert any("a summary of it all" in row["message"] for row in kept), kept
        assert all(row["message"] for row in kept), "an id that no message has"
        steps = deployment.database.value(
            "SELECT sum(s.input_tokens + s.cache_read_tokens + s.cache_write_tokens) FROM steps s JOIN jobs j ON j.id = s.job"
            " WHERE j.job_id = 'whole'")
        billed = deployment.database.value(
            "SELECT input_tokens + cache_read_tokens + cache_write_tokens FROM jobs WHERE job_id = 'whole'")
        assert billed > steps, (billed, steps)


def a_summary_is_paid_once(lab):
    with installation(lab, with_summaries) as deployment:
        first = deployment.start_worker(crash_at="summary_written")
        deployment.submit([job("killed")])
        assert first.wait(60) == SIGKILLED, first.tail()
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        rows = summaries(deployment, "killed")
        assert rows[0]["state"] == "lost", rows
        wasted = deployment.database.value("SELECT wasted_model_calls FROM jobs WHERE job_id = 'killed'")
        # Each lost summary, and the call of the worker's model if one was under way. Besides the killed
        # one, a summary is lost that is still being written when the last answer comes.
        lost = sum(row["state"] == "lost" for row in rows)
        assert lost in (1, 2) and wasted - lost in (0, 1), (wasted, rows)


CASES = [Case("compression: another model writes the summaries", another_model_writes_the_summaries),
         Case("compression: kill -9 loses a summary once, and it is counted", a_summary_is_paid_once),
         Case("compression: a conversation that outgrows its window goes on", a_long_conversation_goes_on),
         Case("compression: kill -9 changes nothing of what is sent", kill_nine_changes_nothing_of_it)]
