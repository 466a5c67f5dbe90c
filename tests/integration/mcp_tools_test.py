# SPDX-License-Identifier: Apache-2.0
"""Tools of a server of tools (MCP): offered to models, and registered when the server comes up late."""

import json
import os
import stat

from case import Case
from rig.stack import ROOT
from rig.waiting import wait_until

SERVER = os.path.join(ROOT, "tests/mcp/hostile_server.py")
SCRIPT = """
entries:
  - when: Say it
    then:
      - tool_calls: [{name: late_echo, args: {}}]
      - text: "{{observation.-1}}"
"""


def deployment_with(lab, command):
    script = os.path.join(lab.folder, "script.yaml")
    os.makedirs(lab.folder, exist_ok=True)
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    settings = {"mcp": {"servers": {"late": {"command": command}}},
                "agents": {"default": {"tools": ["late_echo", "query_database"]}}}
    return lab.deployment(settings, scripts=[script])


def answer(deployment, job_id):
    deployment.submit([{"tenant": "rig", "job_id": job_id, "messages": ["Say it"]}])
    deployment.wait_for_results(1, 30)
    return deployment.run("show", "rig/" + job_id, "--json")


def a_model_calls_a_tool_of_a_server(lab):
    with deployment_with(lab, ["/usr/bin/python3", SERVER]) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        shown = answer(deployment, "now")
        assert '"completed"' in shown and '"late_echo"' in shown and "echo" in shown, shown
        state = deployment.database.value("SELECT state FROM tool_calls")
        assert state == "succeeded", state
        worker.terminate()
        assert worker.wait(20) == 0, worker.tail()


def a_server_that_comes_up_late_is_used_then(lab):
    program = os.path.join(lab.folder, "server")
    with deployment_with(lab, [program]) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        assert "a server of tools is down" in worker.tail(200), worker.tail()
        with open(program + ".new", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec /usr/bin/python3 {SERVER}\n")
        os.chmod(program + ".new", stat.S_IRWXU)
        os.rename(program + ".new", program)
        wait_until(lambda: "connected to a server of tools" in worker.tail(400), 60, worker.tail)
        shown = answer(deployment, "later")
        assert '"completed"' in shown, shown
        assert deployment.database.value("SELECT state FROM tool_calls") == "succeeded"


def the_list_of_servers_names_tools_and_hashes(lab):
    with deployment_with(lab, ["/usr/bin/python3", SERVER]) as deployment:
        listed = json.loads(deployment.run("mcp", "list", "--json"))["servers"][0]
        assert listed["state"] == "ready" and listed["era"] == "modern", listed
        tools = {tool["name"]: tool for tool in listed["tools"]}
        assert len(tools["echo"]["hash"]) == 64 and tools["echo"]["exposed"] == "late_echo", listed
        assert tools["echo"]["left_out"] == [], listed
        assert any("listed twice" in warning for warning in listed["warnings"]), listed


def a_person_runs_a_tool_of_a_server(lab):
    with deployment_with(lab, ["/usr/bin/python3", SERVER]) as deployment:
        told = json.loads(deployment.run("tool", "run", "late_echo", "{}", "--json"))
        assert told["state"] == "succeeded" and "echo" in told["observation"], told
        told = json.loads(deployment.answer("tool", "run", "late_sing", "{}", "--json", code=1)[0])
        assert told["error_code"] == "TOOL_NOT_FOUND" and "late_echo" in told["error_message"], told
    with deployment_with(lab, ["/nonexistent/server"]) as deployment:
        told = deployment.answer("tool", "run", "late_echo", "{}", code=69)[1]
        assert "the server of tools 'late' is down" in told and "/nonexistent/server" in told, told


def a_person_looks_at_a_tool_of_a_server(lab):
    with deployment_with(lab, ["/usr/bin/python3", SERVER]) as deployment:
        listed = {tool["name"]: tool for tool in json.loads(deployment.run("tool", "list", "--mcp", "--json"))}
        assert listed["late_echo"]["server"] == "late" and listed["late_echo"]["effect"] == "once", listed
        assert listed["query_database"]["server"] is None, listed
        assert "late_echo" not in deployment.run("tool", "list")
        described = json.loads(deployment.run("tool", "describe", "late_echo", "--json"))
        assert described["description"] == "Does what its name says." and described["server"] == "late", described
        assert "output_level" in described["parameters"]["properties"], described
        explained = json.loads(deployment.run("tool", "explain", "late_echo", "{}", "--json"))
        assert explained["allowed"] and "never cached" in explained["reason"], explained
        told = json.loads(deployment.run("tool", "run", "late_echo", "{}", "--json"))
        assert told["semantic_key"] == explained["key"], (told, explained)
        refused = json.loads(deployment.answer("tool", "explain", "late_die", "{}", "--json", code=1)[0])
        assert not refused["allowed"] and "late_echo" in refused["reason"] and refused["key"], refused
        lines = deployment.answer("tool", "explain", "late_echo", "--jsonl", given='{"id":1,"args":{}}\n{"id":2,"args":1}\n')
        assert [json.loads(line)["allowed"] for line in lines[0].splitlines()] == [True, False], lines
        said = deployment.answer("tool", "describe", "late_sing", code=2)[1]
        assert "there is no tool 'late_sing'" in said and "late_echo" in said and "listed twice" in said, said
    with deployment_with(lab, ["/nonexistent/server"]) as deployment:
        for words in (("describe", "late_echo"), ("explain", "late_echo", "{}"), ("list", "--mcp")):
            said = deployment.answer("tool", *words, code=69)[1]
            assert "the server of tools 'late' is down" in said and "/nonexistent/server" in said, said
        deployment.run("tool", "explain", "query_database", '{"sql": "SELECT 1"}')  # nobody else's matter


CASES = [Case("mcp: a model calls a tool of a server", a_model_calls_a_tool_of_a_server),
         Case("mcp: a server that comes up late is used then", a_server_that_comes_up_late_is_used_then),
         Case("mcp: a person runs a tool of a server", a_person_runs_a_tool_of_a_server),
         Case("mcp: a person looks at a tool of a server", a_person_looks_at_a_tool_of_a_server),
         Case("mcp: the list of servers names tools and hashes", the_list_of_servers_names_tools_and_hashes)]
