# SPDX-License-Identifier: Apache-2.0
"""The protocol's reference servers, as a child and behind a URL."""

import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time

from peers import EVERYTHING, FILESYSTEM, NODE, Caller, Program, expect


def everything(**more):
    return {"all": {"command": [str(NODE), str(EVERYTHING), "stdio"], "trusted": True, **more}}


def what_everything_answers_is_read():
    with Caller(everything()) as caller:
        report = caller.ask(report=True)[0]
        expect(report["state"] == "ready" and report["era"] == "legacy", report)
        echo = caller.call("all_echo", {"message": "hi"})
        expect(echo["data"] == "Echo: hi", echo)
        structured = caller.call("all_get-structured-content", {"location": "New York"})
        expect(structured["data"]["temperature"], structured)
        image = caller.call("all_get-tiny-image")
        kinds = [item for item in image["data"] if isinstance(item, dict)]
        expect(kinds[0]["type"] == "image" and kinds[0]["mime_type"] == "image/png" and kinds[0]["bytes"] > 100, image)
        links = caller.call("all_get-resource-links", {"count": 2})
        expect(sum(item.get("type") == "resource_link" for item in links["data"] if isinstance(item, dict)) == 2, links)
        wrong = caller.call("all_get-sum", {"a": "x"})
        expect("error" in wrong, wrong)


def a_child_knows_nothing_of_our_environment():
    with Caller(everything(env={"FOR_IT": "yes"})) as caller:
        text = caller.call("all_get-env")["data"]
        expect("canary" not in text and '"FOR_IT": "yes"' in text, text)
        names = set(re.findall(r'^\s*"(\w+)":', text, re.MULTILINE))
        expect(names <= {"PATH", "HOME", "LANG", "FOR_IT"}, names)


def progress_keeps_a_long_call_alive():
    with Caller(everything(timeout_ms=6000)) as caller:
        result = caller.call("all_trigger-long-running-operation", {"duration": 10, "steps": 10})
        expect("data" in result, result)
    with Caller(everything(timeout_ms=2000)) as caller:
        result = caller.call("all_trigger-long-running-operation", {"duration": 20, "steps": 2})
        expect(result["error"]["code"] == "TIMEOUT" and result["outcome_unknown"], result)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def serve_over_http(port):
    server = subprocess.Popen([NODE, EVERYTHING, "streamableHttp"], env={**os.environ, "PORT": str(port)},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server
        except OSError:
            time.sleep(0.05)
    server.kill()
    raise AssertionError("the server doesn't serve")


def stop(server):
    server.kill()
    server.wait()


def a_server_behind_a_url_does_the_same():
    port = free_port()
    server = serve_over_http(port)
    try:
        with Caller({"web": {"url": f"http://127.0.0.1:{port}/mcp", "timeout_ms": 6000}}) as caller:
            expect(caller.ask(report=True)[0]["era"] == "legacy", caller.said())
            expect(caller.call("web_echo", {"message": "hi"})["data"] == "Echo: hi", caller.said())
            result = caller.call("web_trigger-long-running-operation", {"duration": 10, "steps": 10})
            expect("data" in result, result)
    finally:
        stop(server)


def a_server_that_forgot_our_session_gets_a_new_one():
    port = free_port()
    server = serve_over_http(port)
    try:
        with Caller({"web": {"url": f"http://127.0.0.1:{port}/mcp"}}) as caller:
            expect("data" in caller.call("web_echo", {"message": "1"}), caller.said())
            stop(server)
            down = caller.call("web_echo", {"message": "2"})
            expect(down["error"]["type"] == "transient_error", down)
            server = serve_over_http(port)
            again = caller.call("web_echo", {"message": "3"})
            expect(again.get("data") == "Echo: 3", again)
    finally:
        stop(server)


def a_person_looks_at_the_tools_of_a_server():
    with Program({**everything(), "down": {"command": ["/nonexistent/server"]}}) as agent:
        described = json.loads(agent.run("tool", "describe", "all_get-sum", "--json"))
        expect(described["server"] == "all" and described["effect"] == "pure", described)
        expect({"a", "b"} <= set(described["parameters"]["properties"]), described)
        call = json.dumps({"a": 1, "b": 2})
        explained = json.loads(agent.run("tool", "explain", "all_get-sum", call, "--json"))
        expect(explained["allowed"] and len(explained["key"]) == 64, explained)
        wrong = json.loads(agent.run("tool", "explain", "all_get-sum", '{"a": "x"}', "--json", code=1))
        expect(not wrong["allowed"] and wrong["key"] is None, wrong)
        expect("3" in agent.run("tool", "run", "all_get-sum", call), "the sum")
        listed = {tool["name"]: tool for tool in json.loads(agent.run("tool", "list", "--mcp", "--json", code=69))}
        expect(listed["all_echo"]["server"] == "all" and "file_reader" in listed, listed)


def files_are_read_and_an_error_is_one():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "a.txt").write_text("forty-two", encoding="utf-8")
        with Caller({"fs": {"command": [str(NODE), str(FILESYSTEM), folder]}}) as caller:
            read = caller.call("fs_read_text_file", {"path": folder + "/a.txt"})
            expect("forty-two" in str(read["data"]), read)
            refused = caller.call("fs_read_text_file", {"path": "/etc/passwd"})
            expect(refused["error"]["code"] == "MCP_TOOL_ERROR", refused)


CASES = [what_everything_answers_is_read, a_child_knows_nothing_of_our_environment, progress_keeps_a_long_call_alive,
         a_person_looks_at_the_tools_of_a_server, a_server_behind_a_url_does_the_same, a_server_that_forgot_our_session_gets_a_new_one,
         files_are_read_and_an_error_is_one]
