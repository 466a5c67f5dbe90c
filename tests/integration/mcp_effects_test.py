# SPDX-License-Identifier: Apache-2.0
"""A tool with effects of a server that can say what became of a call: its worker is killed before and behind the effect."""

import functools
import json
import os

from case import Case
from rig.stack import ROOT

SIGKILLED = -9
SERVER = os.path.join(ROOT, "tests/mcp/payments_server.py")
SCRIPT = """
entries:
  - when: Pay
    then:
      - tool_calls: [{name: bank_pay, args: {account: a-1}}]
      - text: "{{observation.-1}}"
"""


def settings(book):
    pay = {"effect": "reconcilable", "key_argument": "reference", "status_tool": "find",
           "status_arguments": {"reference": "{{key}}"}, "status_path": "/state", "status_happened": ["booked"],
           "status_did_not_happen": ["absent"], "status_result_path": "/payment"}
    bank = {"command": ["/usr/bin/python3", SERVER, book], "tools": {"find": {"effect": "pure"}, "pay": pay}}
    return {"mcp": {"servers": {"bank": bank}}, "agents": {"default": {"tools": ["bank_pay", "file_reader"]}},
            "tools": {"retry": {"initial_delay_ms": 100}}}


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split()


def killed(moment, says, state, answer, payments, lab):
    book, script = os.path.join(lab.folder, "book"), os.path.join(lab.folder, "script.yaml")
    write(script, SCRIPT)
    write(book, "")
    with lab.deployment(settings(book), scripts=[script]) as deployment:
        write(book + ".die", moment)
        worker = deployment.start_worker()
        deployment.submit([{"tenant": "rig", "job_id": "a", "messages": ["Pay"]}])
        code = worker.wait(60)
        assert code == SIGKILLED, f"exit code {code}: {worker.tail()}"
        if says is not None:
            write(book + ".says", json.dumps(says))
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        shown = deployment.run("show", "rig/a", "--json")
        assert answer in shown, shown
        assert deployment.database.value("SELECT state FROM tool_calls") == state
        assert deployment.database.value("SELECT effect FROM tool_calls") == "reconcilable"
        assert len(lines(book)) == payments, lines(book)


def doctor_says_why_it_runs_once(lab):
    book = os.path.join(lab.folder, "book")
    given = settings(book)
    given["mcp"]["servers"]["bank"]["tools"]["pay"]["status_tool"] = "lookup"
    given["mcp"]["servers"]["bank"]["tools"]["lookup"] = {"effect": "pure"}
    with lab.deployment(given) as deployment:
        listed = json.loads(deployment.run("mcp", "list", "--json"))["servers"][0]
        pay = next(tool for tool in listed["tools"] if tool["name"] == "pay")
        assert pay["effect"] == "once", listed
        assert any("status_tool 'lookup' is not listed" in warning for warning in listed["warnings"]), listed


CASES = [Case(f"mcp: a worker killed {name}", functools.partial(killed, *terms)) for name, terms in {
    "behind an effect takes the result that its server knows": ("behind", None, "succeeded", "found again", 1),
    "before an effect runs the call again": ("before", None, "succeeded", "a-1", 1),
    "behind an effect that its server can't tell of knows nothing":
        ("behind", {"state": "pending"}, "unknown", "Outcome unknown", 1),
    "behind an effect whose server answers nonsense knows nothing": ("behind", [1], "unknown", "Outcome unknown", 1),
}.items()] + [Case("mcp: a status tool that isn't there is told", doctor_says_why_it_runs_once)]
