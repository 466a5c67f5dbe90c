# SPDX-License-Identifier: Apache-2.0
"""Scenarios in which all goes well."""

from .reply import LONG, Call, Say, Usage, ask, query
from .scenario import Job, Round, Scenario, one_job

_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
_ADAPTIVE = {"thinking": {"mode": "adaptive"}}
_SKILLED = {"agent": "skilled"}
_COMPRESSED = {"compression_events": 1}
_OUTGROWS = {"context_window": 8000, "max_output_tokens": 500}


def _rounds(*questions):
    return tuple(Round(question, (ask(i), Say(f"{question}: {i}.")), f"{question}: {i}.")
                 for i, question in enumerate(questions, 1))


_THOUGHTFUL = (Job((
    Round("First", (ask(1, 2, thinking="I look."), ask(3, thinking="Once more."), Say("Three.", thinking="So.")),
          "Three."),
    Round("Second", (ask(4, thinking="", text="Let me see."), Say("Four.", thinking="That was easy.")), "Four."))),
    Job((Round("Third", (Say("Five."),), "Five."),)))
_LONG_AND_THOUGHTFUL = tuple(
    Job((Round(f"Part {i}", (Say(calls=(LONG,), thinking=f"I look at {i}."), Say(f"Part {i} is read.")),
               f"Part {i} is read."),)) for i in range(1, 13))

# Conversations that outgrow their model's context.
OUTGROWN = (
    Scenario("compression in between", tuple(
        Job((Round(f"Part {i}", (Say(calls=(LONG,)), Say(f"Part {i} is read.")), f"Part {i} is read."),))
        for i in range(1, 13)), model=_OUTGROWS, report=_COMPRESSED),
    Scenario("compression of one long round", (Job((Round(
        "All parts", (*(Say(calls=(LONG,)) for _ in range(12)), Say("All is read.")), "All is read."),)),),
             model=_OUTGROWS, report=_COMPRESSED),
)
SCENARIOS = (
    one_job("a plain answer", [Say("It is 42.")], "It is 42."),
    one_job("usage with a cache", [Say("It is 42.", usage=Usage(7, 30, cached=2000, written=300, thinking=11))],
            "It is 42."),
    one_job("a call", [ask(42), Say("It is 42.")], "It is 42."),
    one_job("a call beside a text", [ask(42, text="Let me look."), Say("It is 42.")], "It is 42."),
    one_job("parallel calls", [ask(1, 2, 3, 4, 5), Say("They are five.")], "They are five."),
    one_job("twelve steps", [*(ask(i) for i in range(11)), Say("It took long.")], "It took long."),
    one_job("wide parallel calls", [ask(*range(12)), ask(*range(12, 24)), ask(99), Say("It is 99.")], "It is 99."),
    one_job("a call that fails", [Say(calls=(Call("query_database", {"sql": "SELECT nothing FROM nowhere"}),)),
                                  Say("There is no such table.")], "There is no such table."),
    one_job("a tool that isn't there", [Say(calls=(Call("no_such_tool", {"a": 1}),)), Say("I can't.")], "I can't."),
    one_job("a tool of an odd name", [Say(calls=(Call("odd name: ünïcode/" + "x" * 80, {"a": 1}),)), Say("I can't.")],
            "I can't.", lenient=True),
    one_job("foreign letters", [ask(1, text="Ünïcode ✈ \u2028 \"quoted\" \\ 日本語"), Say("Čtyři: 四 🙂.")],
            "Čtyři: 四 🙂."),
    Scenario("answers with white space", (Job((Round("First", (Say("  It is 42. \n\n"),), "  It is 42. \n\n"),
                                               Round("Second", (ask(1, text="So \n"), Say("One.\n")), "One.\n"))),)),
    Scenario("thinking that decides for itself", (Job((
        Round("First", (ask(1), ask(2, thinking="I look."), Say("Two.")), "Two."),
        Round("Second", (Say("Four.", thinking="Easy."),), "Four."))),), protocols=("anthropic", "openai_responses")),
    Scenario("thinking that nobody may read", (Job((
        Round("First", (ask(1, thinking="I look.", redacted=True), ask(2, thinking="", redacted=True), Say("Two.")), "Two."),
        Round("Second", (ask(3), Say("Three.", thinking="So.", redacted=True)), "Three."),
        Round("Third", (Say("Four."),), "Four."))),), protocols=("anthropic",)),
    Scenario("thinking bound to what was before", _THOUGHTFUL, protocols=("anthropic",), model=_ADAPTIVE),
    Scenario("thinking, and compression in between", _LONG_AND_THOUGHTFUL, protocols=("anthropic", "openai_responses"),
             model=_OUTGROWS | {"max_output_tokens": 1200}, report=_COMPRESSED),
    Scenario("bound thinking, and compression in between", _LONG_AND_THOUGHTFUL, protocols=("anthropic",),
             model=_OUTGROWS | _ADAPTIVE, report=_COMPRESSED),
    Scenario("three rounds", (Job(_rounds("First", "Second", "Third")),)),
    Scenario("a conversation of three jobs", (Job(_rounds("First", "Second")), Job(_rounds("Third")),
                                              Job(_rounds("Fourth", "Fifth")))),
    *OUTGROWN,
    Scenario("thinking with calls", _THOUGHTFUL, protocols=("anthropic", "openai_responses")),
    Scenario("a conversation that moves from provider to provider", tuple(
        Job((Round(question, (ask(i, i + 10, text="Let me look."), ask(i + 20, thinking="Hm."), Say(f"It is {i}.")),
                   f"It is {i}."),))
        for i, question in enumerate(("First", "Second", "Third", "Fourth", "Fifth"), 1)), moves=True),
    one_job("the words of an older version", [ask(1), Say("It is 42.")], "It is 42.", protocols=("anthropic",),
            provider={"api_version": "2023-06-01"}, model={"temperature": 0.5}),
    one_job("a temperature", [ask(1), Say("It is 42.")], "It is 42.", protocols=("openai_chat", "openai_responses"),
            model={"temperature": 0.5}),
    one_job("an effort, and one call at a time", [ask(1), ask(2), Say("It is 42.")], "It is 42.",
            model={"effort": "low", "parallel_tool_calls": "off"}),
    one_job("no cache", [ask(1), Say("It is 42.")], "It is 42.", protocols=("anthropic",), provider={"prompt_cache": "off"}),
    Scenario("tools that providers refuse", (Job((Round("What", (
        Say(calls=(Call("odd_find", {"route": "a"}), Call("odd_list", {}), Call("odd_batch", {"paths": ["a"]}))),
        Say("All found.")), "All found."),), fields={"agent": "odd"}),), report={"successful_calls": 2}),
    Scenario("more tools than a provider takes", (Job((Round("What", (
        Say(calls=(Call("many_tool0", {}),)), Say("All found.")), "All found."),), fields={"agent": "many"}),),
             protocols=("openai_chat", "openai_responses"), report={"successful_calls": 1}),
    Scenario("a skill", (Job((Round("Use the skill", (
        Say(calls=(Call("activate_skill", {"skill_name": "counting"}),)), ask(1), Say("Counted.")), "Counted."),),
        fields=_SKILLED),
        Job((Round("And once more", (Say(calls=(Call("activate_skill", {"skill_name": "counting"}), query(2))),
                                     Say("Counted again.")), "Counted again."),), fields=_SKILLED)),
             report={"skill_activations": 2}),
    Scenario("a skill from the start", (Job(_rounds("First", "Second"), fields=_SKILLED | {"skills": ["counting"]}),),
             report={"skill_activations": 1}),
    Scenario("sub-agents", (Job((
        Round("Ask two of them", (Say(calls=tuple(Call("task", {
            "description": "count it", "prompt": prompt, "subagent_type": "explorer"}) for prompt in (
                "{Part one}", "{Part two}"))), Say("Both are counted.")), "Both are counted."),
        Round("Part one", (ask(1), Say("One.")), aside=True),
        Round("Part two", (ask(2), Say("Two.")), aside=True)), fields={"agent": "asking"}),)),
    one_job("an answer that fits", [ask(42), Say('{"n": 42}')], '{"n":42}', fields={"answer_schema": _SCHEMA}),
    one_job("an answer that is repaired", [Say("It is 42."), Say('{"n": "x"}'), Say('{"n": 42}')], '{"n":42}',
            fields={"answer_schema": _SCHEMA}),
)
