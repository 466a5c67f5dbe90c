# SPDX-License-Identifier: Apache-2.0
"""kill -9 in the middle of a call that may happen only once, in jobs that wait for a person; then each
of the three answers."""

import functools
import json
import os

from case import Case
from rig.exactness import Exactness
from rig.waiting import wait_until

SIGKILLED = -9
TENANT = ("--tenant", "rig")
SCRIPT = r"""
entries:
  - when: {regex: 'send (\w+)'}
    then:
      - tool_calls:
          - {name: effect_once, args: {what: '{{match.1}}'}, id: call_1}
      - {text: 'answer: {{observation.-1}}'}
"""
JOB = {"tenant": "rig", "job_id": "letter", "messages": ["send letter"]}
SETTINGS = {"agents": {"default": {"on_unknown": "wait_for_person"}}}


def effects(journal):
    with open(journal, encoding="utf-8") as file:
        return len(file.readlines())


def final_answer(deployment):
    return deployment.database.value("SELECT final_answer FROM rounds")


def wait_for_the_question(deployment):
    """Until the job waits, as every command says."""
    wait_until(lambda: deployment.database.try_value("SELECT state FROM jobs") == "waiting", 60,
               deployment.explain)
    (listed,) = map(json.loads, deployment.run("job", "list", "--state", "waiting", "--json").splitlines())
    assert (listed["job_id"], listed["waits_for"]) == ("letter", "effect_once (call_1)"), listed
    assert "waiting for effect_once (call_1)" in deployment.run("job", "list")
    assert "a person's word on effect_once (call_1)" in deployment.run("show", "letter", *TENANT)
    deployment.run("job", "resume", "letter", *TENANT, code=1)
    deployment.run("job", "resolve", "letter", "--call", "call_2", "--give-up", *TENANT, code=1)
    assert deployment.database.value("SELECT attempt FROM jobs") == 1


def asked_after(point, effects_before, resolve, expect, lab):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    journal = os.path.join(lab.folder, "effects.jsonl")
    tools = {"BA_EFFECTS_JOURNAL": journal}
    with lab.deployment(SETTINGS, scripts=[script]) as deployment:
        worker = deployment.start_worker(crash_at=point, env=tools)
        deployment.submit([JOB])
        code = worker.wait(60)
        assert code == SIGKILLED, f"exit code {code}, not killed at {point}: {worker.tail()}"
        deployment.start_worker(build="ba-agent-crash", env=tools)
        wait_for_the_question(deployment)
        assert effects(journal) == effects_before
        said = deployment.run("job", "resolve", "letter", *resolve, *TENANT, "--by", "ann")
        assert "the job is ready" in said, said
        deployment.run("job", "resolve", "letter", *resolve, *TENANT, code=1)  # once is enough
        deployment.wait_for_results(1, 60)
        exact = Exactness(deployment, [JOB])
        exact.expect_good()
        assert exact.wasted == 0, f"{exact.wasted} calls recorded as wasted"
        assert effects(journal) == 1, f"{effects(journal)} effects"
        row = deployment.database.row("SELECT state, attempt, requested_by FROM jobs")
        assert row == {"state": "finished", "attempt": 2, "requested_by": "ann"}, row
        state, answer = expect
        assert deployment.database.value("SELECT state FROM tool_calls") == state
        assert answer in final_answer(deployment), final_answer(deployment)


ANSWERS = (
    ("it happened", "effect_done", 1, ("--happened", "--result", '{"sent":"letter"}'),
     ("succeeded", '"sent": "letter"')),
    ("it did not happen", "reply_committed", 0, ("--did-not-happen",), ("succeeded", "done")),
    ("nobody can tell", "effect_done", 1, ("--give-up",), ("unknown", "Outcome unknown")),
)

CASES = [
    Case(f"a job waits for a person after kill -9 in a call: {name}",
         functools.partial(asked_after, *case))
    for name, *case in ANSWERS
]
