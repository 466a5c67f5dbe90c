# SPDX-License-Identifier: Apache-2.0
"""Two tenants with the same ids for jobs, conversations and users: nothing of the one shows under the other's
name, in any topic, table, log or answer of a command."""

import base64
import contextlib
import json
import os

from case import Case
from rig import endpoints
from rig.ownership import Ownership
from rig.waiting import wait_until

WORDS = {"alpha": "marmot", "beta": "quokka"}
# Every text of a tenant holds its word: the question, what a query returns, and what the server says of one
# that fails. An answer repeats both, and the question of the round before.
SCRIPT = r"""
entries:
  - when: {regex: '^(slow|deadly) (\w+)'}
    then:
      - text: 'thinking of {{match.2}}'
        tool_calls: [{name: query_database, args: {sql: "SELECT '{{match.2}}' AS said"}}]
      - {text: 'too late, {{match.2}}', delay_ms: 60000}
  - when: {regex: '^ask (\w+)'}
    then:
      - tool_calls:
          - {name: query_database, args: {sql: "SELECT '{{match.1}}' AS said"}}
          - {name: query_database, args: {sql: "SELECT '{{match.1}}'::integer"}}
      - let: {before: "{{earlier.-1.question | default 'nothing'}}"}
        text: '{{match.1}}: {{observation.0}}, {{observation.1}}, before {{before}}'
"""
SAME = {"conversation_id": "talk", "user_id": "ann", "metadata": {"ticket": "1"}}
ENDED = ("first", "second", "slow", "deadly")  # job ids of each tenant
# Where a tenant's own word must have been found.
PLACES = {"show", "submit --wait", "results, of all", "dlq show", "dlq show --json",
          "dlq show of a record",
          *(f"a record on {topic}" for topic in ("results", "progress", "dead_letters")),
          *(f"a row of {table}" for table in ("jobs", "rounds", "steps", "tool_calls", "dead_letters", "outbox"))}


def job(tenant, job_id, begins="ask", **fields):
    return {"tenant": tenant, "job_id": job_id, "messages": [f"{begins} {WORDS[tenant]}"],
            "metadata": {"of": WORDS[tenant]}, **fields}


@contextlib.contextmanager
def installation(lab):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    settings = {"limits": {"attempts_max": 1}, "http": {"enabled": True, "port": 0},
                "observability": {"log_level": "debug"}}
    with lab.deployment(settings, scripts=[script]) as deployment:
        yield deployment


def die_over_a_job(deployment, tenant):
    worker = deployment.start_worker(crash_at="tool_finished:1")
    deployment.submit([job(tenant, "deadly", "deadly", user_id="ann")])
    assert worker.wait(60) == -9, worker.tail()


def standing(deployment, tenant, job_id):
    row = deployment.database.rows(
        f"SELECT coalesce(outcome, state) AS s FROM jobs WHERE tenant = '{tenant}' AND job_id = '{job_id}'")
    return row[0]["s"] if row else None


def cancel_one_after_the_other(deployment):
    """The other tenant's job of that id goes on."""
    deployment.submit([job(tenant, "slow", "slow", **SAME) for tenant in WORDS])
    asked = "SELECT count(*) AS n FROM tool_calls t JOIN jobs j ON j.id = t.job" \
            " WHERE j.job_id = 'slow' AND t.state = 'succeeded'"
    wait_until(lambda: deployment.database.value(asked) == 2, 30, deployment.explain)
    deployment.run("job", "cancel", "slow", "--tenant", "alpha")
    wait_until(lambda: standing(deployment, "alpha", "slow") == "cancelled", 30, deployment.explain)
    assert standing(deployment, "beta", "slow") == "running", deployment.explain()
    deployment.run("job", "cancel", "slow", "--tenant", "beta")


def run_everything(deployment):
    """The worker that is left."""
    for tenant in WORDS:
        die_over_a_job(deployment, tenant)
    worker = deployment.start_worker()
    deployment.send([(f"{tenant}/first".encode(), f"{{broken {word}".encode(), [("content-type", b"application/json")])
                     for tenant, word in WORDS.items()])
    deployment.submit([job(tenant, "first", **SAME) for tenant in WORDS])
    deployment.submit([job(tenant, "second", **SAME) for tenant in WORDS])
    wait_until(lambda: all(standing(deployment, tenant, "second") == "completed" for tenant in WORDS), 60,
               deployment.explain)
    cancel_one_after_the_other(deployment)
    deployment.wait_for_results(len(ENDED) * len(WORDS), 60)
    letters = "SELECT count(*) AS n FROM dead_letters"
    wait_until(lambda: deployment.database.value(letters) == len(WORDS), 30, deployment.explain)
    return worker


def expect_own_history(deployment):
    """The second job of a conversation was told what its own tenant had asked."""
    answers = {(row["tenant"], row["job_id"]): row["final_answer"] for row in deployment.database.rows(
        "SELECT j.tenant, j.job_id, r.final_answer FROM rounds r JOIN jobs j ON j.id = r.job")}
    for tenant, word in WORDS.items():
        first = answers[tenant, "first"]
        assert "invalid input syntax" in first and first.endswith("before nothing"), answers
        assert answers[tenant, "second"].endswith(f"before ask {word}"), answers


def check_commands(ownership, deployment):
    for tenant in WORDS:
        for job_id in ENDED:
            for form in ((), ("--full",), ("--json",)):
                ownership.check("show", tenant, deployment.run("show", job_id, "--tenant", tenant, *form))
            deployment.run("show", job_id, "--tenant", "nobody", code=1)
        ownership.check("job list", tenant, deployment.run("job", "list", "--tenant", tenant, "--json"))
        ownership.check("dlq show", tenant, deployment.run("dlq", "show", f"{tenant}/deadly", "--full"))
        ownership.check("dlq show --json", tenant, deployment.run("dlq", "show", f"{tenant}/deadly", "--json"))
        waited = deployment.run("submit", "--wait", "--tenant", tenant, "--conversation", "talk", "--job-id", "last",
                                f"ask {WORDS[tenant]}")
        ownership.check("submit --wait", tenant, waited)
    for command in ("job list", "results"):
        for line in deployment.run(*command.split(), "--json").splitlines():
            ownership.check(f"{command}, of all", json.loads(line)["tenant"], line)
    check_dead_letters(ownership, deployment)


def check_dead_letters(ownership, deployment):
    """A job is listed by its tenant; a record that is no job belongs to whom its key names."""
    for line in deployment.run("dlq", "list", "--json").splitlines():
        listed = json.loads(line)
        if "/" in listed["id"]:
            ownership.check("dlq list", listed["id"].partition("/")[0], line)
        else:
            shown = deployment.run("dlq", "show", listed["id"], "--json")
            ownership.check("dlq list", None, line)
            key = base64.b64decode(json.loads(shown)["dead_letter"]["key"]).decode()
            ownership.check("dlq show of a record", key.partition("/")[0], shown)


def check_log(ownership, worker):
    with open(worker.log, encoding="utf-8") as file:
        for line in file:
            job_name = json.loads(line).get("job", "")
            ownership.check("log", job_name.partition("/")[0] or None, line)


def nothing_is_mixed_up(lab):
    with installation(lab) as deployment:
        worker = run_everything(deployment)
        expect_own_history(deployment)
        ownership = Ownership(WORDS)
        check_commands(ownership, deployment)
        ownership.check_topics(deployment)
        ownership.check_tables(deployment.database)
        ownership.check("/metrics", None, endpoints.read(worker, "/metrics")[1])
        check_log(ownership, worker)
        assert not ownership.violations, ownership.violations
        for tenant, places in ownership.seen.items():
            assert PLACES <= places, f"no word of {tenant} in {PLACES - places}: nothing was tried there"


CASES = [Case("two tenants with the same ids see nothing of each other", nothing_is_mixed_up)]
