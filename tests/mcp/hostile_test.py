# SPDX-License-Identifier: Apache-2.0
"""A server that misbehaves: calls fail as they should, and the worker's side goes on."""

import time

from peers import HOSTILE, Caller, expect


def hostile(**more):
    return {"bad": {"command": ["/usr/bin/python3", str(HOSTILE)], "timeout_ms": 30000, **more}}


def works_again(caller):
    """It was started again, which takes a second."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if caller.call("bad_echo").get("data") == "echo":
            return
    raise AssertionError(caller.said())


def strange_lines_do_no_harm():
    with Caller(hostile()) as caller:
        expect(caller.call("bad_garbage")["data"] == "still here", caller.said())
        expect(caller.call("bad_halves")["data"] == "whole", caller.said())


def answers_to_other_ids_are_nobodys():
    with Caller(hostile()) as caller:
        expect(caller.call("bad_other_ids")["data"] == "mine", caller.said())
        expect(caller.call("bad_echo")["data"] == "echo", caller.said())


def a_result_of_a_gigabyte_is_cut_off():
    with Caller(hostile()) as caller:
        result = caller.call("bad_huge")
        expect(result["error"]["code"] == "MCP_RESULT_TOO_LARGE" and result["outcome_unknown"], result)
        works_again(caller)
        expect("wrote all of it" not in caller.said(), "it was read to its end")


def progress_without_end_ends_at_the_absolute_limit():
    with Caller(hostile()) as caller:
        result = caller.call("bad_endless", timeout_ms=2000)
        expect(result["error"]["code"] == "TIMEOUT" and result["outcome_unknown"], result)


def a_death_in_mid_call_leaves_the_outcome_unknown():
    with Caller(hostile()) as caller:
        result = caller.call("bad_die")
        expect(result["error"]["code"] == "MCP_SERVER_UNAVAILABLE" and result["outcome_unknown"], result)
        works_again(caller)


def a_second_tool_of_a_name_is_left_out():
    with Caller(hostile()) as caller:
        report = caller.ask(report=True)[0]
        expect(any("'shadow' is listed twice" in warning for warning in report["warnings"]), report)


def told(caller, text):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        caller.call("bad_shadow")
        if text in caller.said():
            return
    raise AssertionError(caller.said())


def a_definition_that_changes_is_told_and_models_keep_what_they_saw():
    with Caller(hostile()) as caller:
        caller.call("bad_rug_pull")
        told(caller, "tool 'echo' has changed")
        expect(caller.call("bad_echo")["data"] == "echo", caller.said())


CASES = [strange_lines_do_no_harm, answers_to_other_ids_are_nobodys, a_result_of_a_gigabyte_is_cut_off,
         progress_without_end_ends_at_the_absolute_limit, a_death_in_mid_call_leaves_the_outcome_unknown,
         a_second_tool_of_a_name_is_left_out, a_definition_that_changes_is_told_and_models_keep_what_they_saw]
