# SPDX-License-Identifier: Apache-2.0
"""Every scenario of `tests/strict_model`, in each protocol that it makes sense in, streamed and not: the stand-in finds
no rule of a provider broken, the jobs end as they should, and what was billed is what the ledger says."""

import collections
import functools
import json
import os
import pathlib
import sys

from case import Case
from rig.exactness import Exactness

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

# pylint: disable=wrong-import-position
from strict_model import basic, dialects, faults
from strict_model.reply import Usage
from strict_model.server import StrictModel

SECONDS = 120

# Of a play's jobs and their sub-agents; summaries and lost calls apart.
_LEDGER = """
SELECT (SELECT count(*) FROM steps s WHERE s.job = ANY (family.ids) AND NOT s.copied) AS steps,
  (SELECT coalesce(sum(w.calls), 0) FROM wasted_model_calls w WHERE w.job = ANY (family.ids)) AS lost,
  (SELECT json_agg(m.report) FROM metrics m WHERE m.job = ANY (family.ids)) AS reports
FROM (SELECT array_agg(j.id) AS ids FROM jobs j LEFT JOIN jobs p ON p.id = j.parent
      WHERE coalesce(p.job_id, j.job_id) IN ({names})) AS family"""


def skills(folder):
    skill = pathlib.Path(folder, "skills", "counting")
    skill.mkdir(parents=True, exist_ok=True)
    (skill / "SKILL.md").write_text("---\nname: counting\ndescription: Counts.\n---\nCount them all.\n", encoding="utf-8")
    return str(skill.parent)


def settings(lab, plays, url):
    return {
        "llm": {"providers": {play.name: play.provider(url) for play in plays},
                "models": {play.name: play.model() for play in plays},
                "retry": {"initial_delay_ms": 1, "max_delay_ms": 20}},
        "agents": {"default": {"tools": ["query_database"], "skills": []},
                   "skilled": {"skills": ["*"]},
                   "asking": {"sub_agents": ["explorer"], "skills": []},
                   "explorer": {"description": "counts", "tools": ["query_database"], "skills": []}},
        "context": {"mode": "extract"},
        "skills": {"roots": [skills(lab.folder)]},
    }


def usage_of(result):
    given = {name: int(count) for name, count in result.get("usage", {}).items()}
    return Usage(*(given.get(name, 0) for name in (
        "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "thinking_tokens")))


def differences(deployment, results, stage):
    """Where a play didn't come out as its scenario says."""
    play, account = stage.play, stage.account
    yield from (f"a rule is broken: {one}, {count} times" for one, count in
                collections.Counter(str(one) for one in stage.broken).most_common(4))
    yield from stage.wrong
    yield from (f"not asked for: {one}" for one in stage.unplayed())
    total = Usage()
    for job, wanted in zip(play.jobs(), play.scenario.jobs):
        result = results[job["job_id"]]
        total += usage_of(result)
        error = result.get("error", {})
        found = (result["outcome"], error.get("code", ""), [answer["text"] for answer in result.get("answers", [])])
        said = [one.answer for one in wanted.rounds if not one.aside and one.answer is not None]
        if found != (wanted.outcome, wanted.code, said):
            yield f"{job['job_id']}: {found}: {error.get('message')}; expected {(wanted.outcome, wanted.code, said)}"
    names = ", ".join(f"'{job['job_id']}'" for job in play.jobs())
    ledger = deployment.database.row(_LEDGER.format(names=names))
    if (ledger["steps"], ledger["lost"]) != (account.kept, account.lost):
        yield f"{ledger['steps']} steps and {ledger['lost']} lost, billed were {account.kept} and {account.lost}"
    if total != account.usage:
        yield f"the jobs' bills say {total}, the provider's {account.usage}"
    for name, least in play.scenario.report.items():
        count = sum(report.get(name, 0) for report in ledger["reports"])
        if count < least:
            yield f"{name} is {count}, expected at least {least}"


def verdict(deployment, results, stage):
    """The lines of what is wrong; a fault that is known must still be there, so that nobody forgets its mark."""
    lines = [f"{stage.play.name}: {line}" for line in differences(deployment, results, stage)]
    fault = stage.play.scenario.known_fault
    if not fault:
        return lines
    return [] if lines else [f"{stage.play.name}: all is well, so take known_fault away: {fault}"]


def keep_journal(lab, model):
    with open(os.path.join(lab.folder, "strict-model.jsonl"), "w", encoding="utf-8") as file:
        for stage in model.stages.values():
            file.writelines(json.dumps({"play": stage.play.name} | entry) + "\n" for entry in stage.journal)


def expect_exact(deployment, plays, jobs, model):
    """What holds for every job whatever it says; its sub-agents' questions are billed with it."""
    asides = {job["job_id"]: [play.question(one) for one in play.rounds() if one.aside]
              for play in plays for job in play.jobs()}
    Exactness(deployment, jobs, outcome=lambda job, row: (row["outcome"],), asides=lambda job: asides[job["job_id"]],
              paid=model.paid_calls()).expect_good()


def play_all(scenarios, lab):
    plays = [play for scenario in scenarios for play in scenario.plays()]
    with StrictModel(plays) as model, lab.deployment(settings(lab, plays, model.url)) as deployment:
        deployment.start_worker()
        jobs = [job for play in plays for job in play.jobs()]
        deployment.submit(jobs)
        try:
            deployment.wait_for_results(len(jobs), SECONDS)
            expect_exact(deployment, plays, jobs, model)
            rows = deployment.database.rows("SELECT job_id, convert_from(result, 'UTF8') AS result FROM jobs WHERE parent IS NULL")
            results = {row["job_id"]: json.loads(row["result"]) for row in rows}
            wrong = [line for stage in model.stages.values() for line in verdict(deployment, results, stage)]
        finally:
            keep_journal(lab, model)
        assert not wrong, f"{len(wrong)} differences:\n  " + "\n  ".join(wrong[:60])
        requests = sum(len(stage.journal) for stage in model.stages.values())
    return f"{len(scenarios)} scenarios, {len(plays)} plays, {requests} requests"


CASES = [Case(f"strict stand-in: {name}", functools.partial(play_all, module.SCENARIOS))
         for name, module in (("basic", basic), ("faults", faults), ("dialects", dialects))]
