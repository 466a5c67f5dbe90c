# SPDX-License-Identifier: Apache-2.0
"""A request of each protocol that breaks no rule, with some of everything that rules are about."""

import copy
import json

from . import seal
from .rule import Request

_SCHEMA = {"type": "object", "properties": {"sql": {"type": "string"}, "rows": {"type": "array", "items": {}}},
           "required": ["sql"]}
_ANSWER = {"type": "object", "properties": {"n": {"type": "integer"}}}
_ARGUMENTS = json.dumps({"sql": "SELECT 1"})
_BEARER = {"authorization": "Bearer key", "content-type": "application/json"}


def anthropic(mode="enabled"):
    """A user's question, thinking with two calls, their results, and so on: the turn is open."""
    mark = {"cache_control": {"type": "ephemeral"}}
    thinking = {"type": "enabled", "budget_tokens": 1024} if mode == "enabled" else {"type": mode}
    body = {"model": "m", "max_tokens": 2000, "stream": True, "thinking": thinking,
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": _ANSWER}},
            "system": [{"type": "text", "text": "Be brief."} | mark], "tool_choice": {"type": "auto"},
            "tools": [{"name": "query", "description": "q", "input_schema": copy.deepcopy(_SCHEMA)},
                      {"name": "read", "description": "r", "input_schema": copy.deepcopy(_SCHEMA)} | mark],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "What?"} | mark]}]}
    before = seal.prefix(body, 1)
    said = [{"type": "thinking", "thinking": "Hm.", "signature": seal.signature("Hm.", before)},
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "t1", "name": "query", "input": {"sql": "SELECT 1"}},
            {"type": "tool_use", "id": "t2", "name": "query", "input": {}}]
    body["messages"].append({"role": "assistant", "content": copy.deepcopy(said)})
    body["messages"].append({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "1"},
        {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True},
        {"type": "text", "text": "Go on."} | copy.deepcopy(mark)]})
    headers = {"anthropic-version": "2026-10-21", **_BEARER}
    return Request(copy.deepcopy(body), headers, {"t1": said, "t2": said})


def chat():
    body = {"model": "m", "max_completion_tokens": 100, "stream": True, "stream_options": {"include_usage": True},
            "parallel_tool_calls": True, "response_format": {
                "type": "json_schema", "json_schema": {"name": "answer", "schema": _ANSWER, "strict": True}},
            "tools": [{"type": "function", "function": {"name": name, "description": "q", "parameters": _SCHEMA}}
                      for name in ("query", "read")],
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What?"},
                         {"role": "assistant", "content": None, "tool_calls": [_chat_call(one) for one in ("c1", "c2")]},
                         {"role": "tool", "tool_call_id": "c1", "content": "1"},
                         {"role": "tool", "tool_call_id": "c2", "content": ""},
                         {"role": "assistant", "content": "One."}, {"role": "user", "content": "And now?"}]}
    return Request(copy.deepcopy(body), dict(_BEARER))


def _chat_call(one, **more):
    return {"id": one, "type": "function", "function": {"name": "query", "arguments": _ARGUMENTS}} | more


def server_of_chat(member=None, value=None, call_member=None):
    """As servers other than OpenAI take it: with what a reply had beside the protocol's own members."""
    one, two = "abcdef123", "abcdef124"
    call = _chat_call(one, **({call_member: value} if call_member else {}))
    given = {"role": "assistant", "content": "", "tool_calls": [call, _chat_call(two)]}
    given |= {member: value} if member else {}
    body = {"model": "m", "max_tokens": 100, "messages": [
        {"role": "user", "content": "What?"}, given, {"role": "tool", "tool_call_id": one, "content": "1"},
        {"role": "tool", "tool_call_id": two, "content": "2"}]}
    return Request(copy.deepcopy(body), dict(_BEARER), {one: given, two: given})


def responses():
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": seal.encrypted("rs_1", [])}
    calls = [{"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": "query", "status": "completed",
              "arguments": _ARGUMENTS} for n in (1, 2)]
    output = [reasoning, *calls]
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
               "content": [{"type": "output_text", "text": "One.", "annotations": []}]}
    body = {"model": "m", "store": False, "include": ["reasoning.encrypted_content"], "max_output_tokens": 100,
            "stream": True, "instructions": "Be brief.", "text": {"format": {
                "type": "json_schema", "name": "answer", "schema": _ANSWER, "strict": True}},
            "tools": [{"type": "function", "name": name, "description": "q", "parameters": _SCHEMA, "strict": False}
                      for name in ("query", "read")],
            "input": [_asked("What?"), *output, *(_output(n) for n in (1, 2)), message,
                      {"role": "assistant", "content": "Two."}, _asked("And now?")]}
    return Request(copy.deepcopy(body), dict(_BEARER),
                   {"rs_1": output} | {key: output for call in calls for key in (call["id"], call["call_id"])})


def _asked(text):
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def _output(number):
    return {"type": "function_call_output", "call_id": f"call_{number}", "output": "1"}
