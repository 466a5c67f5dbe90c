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
from rig.deployment import merge
from rig.exactness import Exactness

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(TESTS))

# pylint: disable=wrong-import-position
from strict_model import basic, dialects, faults, summaries
from strict_model.reply import Usage
from strict_model.server import StrictModel

SECONDS = 300  # seconds of work; more where the machine has other things to do
ODD_TOOLS = str(TESTS / "strict_model/odd_tools.py")

# Of a play's jobs and their sub-agents; summaries and lost calls apart.
_LEDGER = """
SELECT (SELECT count(*) FROM steps s WHERE s.job = ANY (family.ids) AND NOT s.copied) AS steps,
  (SELECT coalesce(sum(w.calls), 0) FROM wasted_model_calls w WHERE w.job = ANY (family.ids)) AS lost,
  (SELECT count(*) FROM summaries y WHERE y.job = ANY (family.ids) AND y.state = 'ready' AND NOT y.reused) AS summaries,
  (SELECT count(*) FROM summaries y WHERE y.job = ANY (family.ids) AND y.state = 'lost') AS summaries_lost,
  (SELECT json_agg(m.report) FROM metrics m WHERE m.job = ANY (family.ids)) AS reports
FROM (SELECT array_agg(j.id) AS ids FROM jobs j LEFT JOIN jobs p ON p.id = j.parent
      WHERE coalesce(p.job_id, j.job_id) IN ({names})) AS family"""


def skills(folder):
    skill = pathlib.Path(folder, "skills", "counting")
    skill.mkdir(parents=True, exist_ok=True)
    (skill / "SKILL.md").write_text("---\nname: counting\ndescription: Counts.\n---\nCount them all.\n", encoding="utf-8")
    return str(skill.parent)


# By the agent that has them: names of tools of the server that is called like the agent.
TOOLS_OF_SERVERS = {"odd": ["odd_find", "odd_list", "odd_batch"], "many": [f"many_tool{i}" for i in range(140)]}


def with_servers_of_tools(settings_of_all, plays):
    for name in {job.get("agent") for play in plays for job in play.jobs()} & set(TOOLS_OF_SERVERS):
        settings_of_all["agents"][name] = {"tools": TOOLS_OF_SERVERS[name], "skills": []}
        servers = settings_of_all.setdefault("mcp", {}).setdefault("servers", {})
        servers[name] = {"command": ["/usr/bin/python3"], "args": [ODD_TOOLS, name]}
    return settings_of_all


def settings(lab, plays, url):
    return with_servers_of_tools({
        "llm": {"providers": {name: provider for play in plays for name, provider in play.providers(url).items()},
                "models": {name: model for play in plays for name, model in play.models().items()},
                "retry": {"initial_delay_ms": 1, "max_delay_ms": 20}},
        "agents": {"default": {"tools": ["query_database"], "skills": []},
                   "skilled": {"tools": ["query_database", "activate_skill", "deactivate_skill"], "skills": ["*"]},
                   "asking": {"tools": ["query_database", "task"], "sub_agents": ["explorer"], "skills": []},
                   "explorer": {"description": "counts", "tools": ["query_database"], "skills": []}},
        "context": {"mode": "extract"},
        "skills": {"roots": [skills(lab.folder)]},
        "worker": {"lease_ms": 20000, "renew_interval_ms": 1000},  # a crash would be one fault too many
    }, plays)


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
    lost = ledger["lost"] - ledger["summaries_lost"]
    if (ledger["steps"], lost) != (account.kept, account.lost):
        yield f"{ledger['steps']} steps and {lost} lost, billed were {account.kept} and {account.lost}"
    if not ledger["summaries"] <= account.summaries <= ledger["summaries"] + ledger["summaries_lost"]:
        yield f"{ledger['summaries']} summaries and {ledger['summaries_lost']} lost, billed were {account.summaries}"
    billed = sum([summaries.USAGE] * ledger["summaries"], account.usage)
    if total != billed:
        yield f"the jobs' bills say {total}, the provider's {billed}"
    for name, least in play.scenario.report.items():
        count = sum(report.get(name, 0) for report in ledger["reports"])
        if count < least:
            yield f"{name} is {count}, expected at least {least}"


def verdict(deployment, results, stage, violations):
    """The lines of what is wrong; a fault that is known must still be there, so that nobody forgets its mark."""
    play = stage.play
    lines = [line for line in violations if line.startswith(tuple(f"rig/{job['job_id']}:" for job in play.jobs()))]
    lines += [f"{play.name}: {line}" for line in differences(deployment, results, stage)]
    fault = play.scenario.known_fault
    if not fault:
        return lines
    stage.journal.append({"known_fault": fault, "differences": lines})
    return [] if lines else [f"{play.name}: all is well, so take known_fault away: {fault}"]


def keep_journal(lab, model):
    with open(os.path.join(lab.folder, "strict-model.jsonl"), "w", encoding="utf-8") as file:
        for stage in model.stages.values():
            file.writelines(json.dumps({"play": stage.play.name} | entry) + "\n" for entry in stage.journal)


def violations_of(deployment, plays, jobs, model):
    """Of what holds for every job whatever it says; its sub-agents' questions are billed with it."""
    asides = {job["job_id"]: [play.question(one) for one in play.rounds() if one.aside]
              for play in plays for job in play.jobs()}
    return Exactness(deployment, jobs, outcome=lambda job, row: (row["outcome"],),
                     asides=lambda job: asides[job["job_id"]], paid=model.paid_calls()).violations


def all_that_is_wrong(deployment, plays, jobs, model):
    violations = violations_of(deployment, plays, jobs, model)
    rows = deployment.database.rows("SELECT job_id, convert_from(result, 'UTF8') AS result FROM jobs WHERE parent IS NULL")
    results = {row["job_id"]: json.loads(row["result"]) for row in rows}
    of_jobs = tuple(f"rig/{job['job_id']}:" for job in jobs)
    wrong = [line for line in violations if not line.startswith(of_jobs)]
    for one in model.beside.values():
        wrong += one.complaints()
    for stage in model.stages.values():
        wrong += verdict(deployment, results, stage, violations)
    return wrong


def play_all(scenarios, lab, beside=lambda stages: {}, more=lambda url: {}):
    """`beside`: further models that the stand-in has; `more`: settings for them."""
    plays = [play for scenario in scenarios for play in scenario.plays()]
    with (StrictModel(plays, beside) as model,
          lab.deployment(merge(settings(lab, plays, model.url), more(model.url))) as deployment):
        deployment.wait_for_worker(deployment.start_worker())
        jobs = [job for play in plays for job in play.jobs()]
        deployment.submit(jobs)
        try:
            deployment.wait_for_results(len(jobs), SECONDS)
            wrong = all_that_is_wrong(deployment, plays, jobs, model)
        finally:
            keep_journal(lab, model)
        assert not wrong, f"{len(wrong)} differences:\n  " + "\n  ".join(wrong[:60])
    faults = sum(bool(scenario.known_fault) for scenario in scenarios)
    requests = sum("request" in entry for stage in model.stages.values() for entry in stage.journal)
    return f"{len(scenarios)} scenarios ({faults} with a known fault), {len(plays)} plays, {requests} requests"


def with_summaries(lab):
    return play_all(summaries.SCENARIOS, lab, lambda stages: {summaries.NAME: summaries.Writer(stages)}, summaries.settings)


CASES = [Case("strict stand-in: summaries", with_summaries),
         *(Case(f"strict stand-in: {module.__name__.rsplit('.', 1)[-1]}", functools.partial(play_all, module.SCENARIOS))
           for module in (basic, faults, dialects))]
