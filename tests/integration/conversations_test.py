# SPDX-License-Identifier: Apache-2.0
"""Whole conversations: LangChain's own library reads what the program writes and the other way round; what is exported
from the ledger in any form is imported under another id, and a job goes on with it."""

import json
import os
import subprocess

from langchain_core.messages import (AIMessage, HumanMessage, SystemMessage, ToolMessage, messages_from_dict,
                                     messages_to_dict)

from case import Case
from rig.exactness import Exactness
from rig.stack import program

FORMS = ("langchain", "anthropic", "openai", "responses")
# An answer says what the model saw of the rounds before.
SCRIPT = r"""
entries:
  - when: {regex: '^ask (\w+)'}
    then:
      - text: 'looking for {{match.1}}'
        tool_calls: [{name: query_database, args: {sql: "SELECT '{{match.1}}' AS said"}}]
      - {text: 'found {{match.1}}'}
  - when: {regex: '^go on'}
    then: [{text: "after {{earlier.-1.question | default 'nothing'}} and {{rounds}} rounds"}]
"""


def convert(source, target, given, *arguments, code=0):
    run = subprocess.run([program("ba-agent"), "convert", "--from", source, "--to", target, *arguments],
                         input=given, capture_output=True, text=True, check=False, timeout=60,
                         env={"PATH": os.environ["PATH"]})
    assert run.returncode == code, f"{run.returncode}: {run.stdout}{run.stderr}"
    return run.stdout


def sample():
    """Everything that LangChain and its integrations put into messages."""
    call = {"name": "query", "args": {"sql": "SELECT 1", "n": [1.5, None]}, "id": "toolu_1", "type": "tool_call"}
    bad = {"name": "query", "args": "{oops", "id": "toolu_2", "error": "no JSON", "type": "invalid_tool_call"}
    usage = {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13, "input_token_details": {"cache_read": 3}}
    return [
        SystemMessage("You analyse data. 漢字"),
        HumanMessage([{"type": "text", "text": "How "}, "many?"], name="bob", id="h1"),
        AIMessage([{"type": "thinking", "thinking": "hm", "signature": "sig/+="}, {"type": "text", "text": "Let me look."},
                   {"type": "tool_use", "id": "toolu_1", "name": "query", "input": call["args"]}],
                  tool_calls=[call], id="run-1", usage_metadata=usage,
                  response_metadata={"model": "m", "stop_reason": "tool_use"}, additional_kwargs={"k": [1, {"x": None}]}),
        ToolMessage("one", tool_call_id="toolu_1", name="query", artifact={"rows": [1]}),
        AIMessage("", invalid_tool_calls=[bad]),
        ToolMessage("no", tool_call_id="toolu_2", name="query", status="error"),
        AIMessage("One.", additional_kwargs={"reasoning_content": "done"}),
    ]


def langchain_reads_ours_and_we_read_its(_lab):
    messages = sample()
    theirs = messages_to_dict(messages)
    ours = json.loads(convert("langchain", "langchain", json.dumps(theirs)))
    assert messages_from_dict(ours) == messages, ours
    assert messages_to_dict(messages_from_dict(ours)) == theirs, ours
    plain = [m for m in messages if not getattr(m, "invalid_tool_calls", None) and getattr(m, "tool_call_id", "") != "toolu_2"]
    for form in FORMS[1:]:
        there = convert("langchain", form, json.dumps(messages_to_dict(plain)))
        back = messages_from_dict(json.loads(convert(form, "langchain", there)))
        assert [m.type for m in back] == [m.type for m in plain], (form, back)
        assert [m.text for m in back] == [m.text for m in plain], (form, back)
        assert back[2].tool_calls == plain[2].tool_calls and back[3].tool_call_id == "toolu_1", (form, back)
    signed = json.loads(convert("langchain", "anthropic", json.dumps(messages_to_dict(plain))))
    assert signed["messages"][1]["content"] == plain[2].content, signed


def lines_are_answered_in_order(_lab):
    good = messages_to_dict(sample())
    open_call = good[:3]
    lines = [{"id": n, "messages": open_call if n % 3 == 1 else good} for n in range(30)]
    said = convert("langchain", "langchain", "".join(json.dumps(line) + "\n" for line in lines), "--jsonl", code=1)
    answers = [json.loads(line) for line in said.splitlines()]
    assert [a["id"] for a in answers] == list(range(30)), answers
    for answer in answers:
        if answer["id"] % 3 == 1:
            assert answer["error"]["field"] == "messages[2].data.tool_calls[0]", answer
        else:
            assert messages_to_dict(messages_from_dict(answer["messages"])) == good, answer


def installation(lab):
    script = os.path.join(lab.folder, "script.yaml")
    os.makedirs(lab.folder, exist_ok=True)
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    return lab.deployment(scripts=[script])


def job(name, text, **fields):
    return {"tenant": "rig", "job_id": name, "messages": [text], **fields}


def final_answer(deployment, name):
    rows = deployment.database.rows("SELECT final_answer FROM rounds r JOIN jobs j ON j.id = r.job"
                                    f" WHERE j.job_id = '{name}' ORDER BY r.round DESC")
    return rows[0]["final_answer"] if rows else None


def export(deployment, name, form):
    return deployment.answer("export", name, "--tenant", "rig", "--format", form)[0]


def what_is_exported_goes_on(lab):
    jobs = [job("first", "ask marmot", conversation_id="talk", user_id="ann")]
    with installation(lab) as deployment:
        deployment.start_worker()
        deployment.submit(jobs)
        deployment.wait_for_results(1, 60)
        whole = export(deployment, "talk", "langchain")
        assert export(deployment, "first", "langchain") == whole
        read = messages_from_dict(json.loads(whole))
        assert [m.type for m in read] == ["human", "ai", "tool", "ai"], read
        assert read[0].content == "ask marmot" and read[3].content == "found marmot", read
        debug = json.loads(export(deployment, "talk", "debug"))
        assert {"user_id", "conversation_id"} <= set(debug[0]) and debug[2]["content"][0]["type"] == "tool_result", debug
        for form in FORMS:
            given = export(deployment, "talk", form)
            said, _ = deployment.answer("import", "--format", form, "--tenant", "rig", "--conversation", f"from-{form}",
                                        "--json", given=given)
            assert json.loads(said) == {"tenant": "rig", "conversation_id": f"from-{form}", "messages": 4}, said
            jobs.append(job(f"next-{form}", f"go on {form}", conversation_id=f"from-{form}"))
        deployment.submit(jobs[1:])
        deployment.wait_for_results(len(jobs), 60)
        for form in FORMS:
            answer = final_answer(deployment, f"next-{form}")
            assert answer and answer.startswith("after ask marmot"), (form, answer)
            history = json.loads(export(deployment, f"from-{form}", "anthropic"))["messages"]
            assert len(history) == 6 and history[4]["content"][0]["text"] == f"go on {form}", history
        Exactness(deployment, jobs).expect_good()


def one_that_the_assistant_began_goes_on(lab):
    """It stays as it was given, and the provider, which wants a user's message first, takes it."""
    call = {"name": "query_database", "args": {"sql": "SELECT 1"}, "id": "toolu_1", "type": "tool_call"}
    given = messages_to_dict([AIMessage("Good morning.", tool_calls=[call]), ToolMessage("1", tool_call_id="toolu_1"),
                              AIMessage("One.")])
    jobs = [job("next", "go on", conversation_id="greeted")]
    with installation(lab) as deployment:
        deployment.start_worker()
        deployment.answer("import", "--tenant", "rig", "--conversation", "greeted", given=json.dumps(given))
        deployment.submit(jobs)
        deployment.wait_for_results(1, 60)
        assert (final_answer(deployment, "next") or "").startswith("after "), final_answer(deployment, "next")
        read = messages_from_dict(json.loads(export(deployment, "greeted", "langchain")))
        assert [m.type for m in read] == ["ai", "tool", "ai", "human", "ai"], read
        assert read[0].content == "Good morning." and read[0].tool_calls[0]["id"] == "toolu_1", read
        Exactness(deployment, jobs).expect_good()


def an_import_changes_nothing_there_is(lab):
    with installation(lab) as deployment:
        deployment.start_worker()
        deployment.submit([job("first", "ask marmot", conversation_id="talk")])
        deployment.wait_for_results(1, 60)
        whole = export(deployment, "talk", "langchain")
        said = deployment.answer("import", "--tenant", "rig", "--conversation", "talk", given=whole, code=1)[1]
        assert 'there is a conversation "talk" of tenant rig already' in said, said
        cut = json.dumps(json.loads(whole)[:2])
        said = deployment.answer("import", "--tenant", "rig", "--conversation", "cut", given=cut, code=1)[1]
        assert "messages[1].data.tool_calls[0]" in said and "is not answered" in said, said
        made = deployment.database.value("SELECT count(*) AS n FROM conversations")
        assert made == 1, made
        said = deployment.answer("export", "nowhere", "--tenant", "rig", code=1)[1]
        assert 'no conversation "nowhere" of tenant "rig"' in said, said
        assert export(deployment, "talk", "langchain") == whole
        assert deployment.database.value("SELECT count(*) AS n FROM inherited_messages") == 0


CASES = [Case("conversations: LangChain reads ours and we read its", langchain_reads_ours_and_we_read_its),
         Case("conversations: lines are answered in order, refused ones with their field", lines_are_answered_in_order),
         Case("conversations: what is exported in each form is imported and goes on", what_is_exported_goes_on),
         Case("conversations: one that the assistant began is imported and goes on", one_that_the_assistant_began_goes_on),
         Case("conversations: an import changes nothing that is there", an_import_changes_nothing_there_is)]
