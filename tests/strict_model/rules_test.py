#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Whether each rule can be broken, and good requests break none. A rule without a request here that breaks it fails."""

import copy
import os
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from strict_model import (anthropic_rules, anthropic_thinking_rules, chat_rules, dialect_rules, good_requests,
                          responses_rules)
from strict_model.rule import Request, violations

TOOLS = 129


def put(value, *path):
    """A change of a request's body: `value` at that place."""
    def change(request):
        place = request.body
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
    return change


def drop(*path):
    def change(request):
        place = request.body
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]
    return change


def add(value, *path):
    """At the end of the list there."""
    def change(request):
        place = request.body
        for key in path:
            place = place[key]
        place.append(value)
    return change


def offer(parameter):
    """A tool with one parameter; None: with none."""
    properties = {} if parameter is None else {"a": parameter}
    return put([{"type": "function", "function": {"name": "t", "parameters": {
        "type": "object", "properties": properties}}}], "tools")


def header(name, value):
    def change(request):
        request.headers[name] = value
    return change


def adaptive(change):
    """The same with a model that decides for itself whether it thinks."""
    def changed(request):
        other = good_requests.anthropic("adaptive")
        request.body, request.said = other.body, other.said
        change(request)
    return changed


MESSAGES = "messages"
ANTHROPIC = {
    "headers: the version, one credential, JSON": [header("anthropic-version", "new"), header("x-api-key", "k"),
                                                   header("content-type", "text/plain")],
    "members of the request": [put(1, "frequency_penalty"), drop("model")],
    "max_tokens is a positive number": [put(0, "max_tokens"), put("9", "max_tokens")],
    "no sampling parameters in the newest version": [put(1.0, "temperature")],
    "roles alternate and begin with the user's": [drop(MESSAGES, 0), put("system", MESSAGES, 0, "role"),
                                                  add({"role": "user", "content": "More."}, MESSAGES)],
    "messages have content": [put([], MESSAGES, 0, "content"), put("", MESSAGES, 0, "content"),
                              put("x", MESSAGES, 0, "name")],
    "blocks and their members are known": [put("x", MESSAGES, 1, "content", 2, "text"),
                                           put("toolcall", MESSAGES, 1, "content", 2, "type"),
                                           drop(MESSAGES, 1, "content", 0, "signature")],
    "blocks stand with whom they belong to": [
        add({"type": "tool_use", "id": "t3", "name": "query", "input": {}}, MESSAGES, 0, "content"),
        add({"type": "tool_result", "tool_use_id": "t1"}, MESSAGES, 1, "content")],
    "texts are not blank": [put(" \n", MESSAGES, 1, "content", 1, "text"), put("", "system", 0, "text")],
    "the last words of an assistant have no space behind them": [add({"role": "assistant", "content": "So "}, MESSAGES)],
    "every call is answered in the next message": [drop(MESSAGES, 2, "content", 0), drop(MESSAGES, 2)],
    "every result has its call in the message before, and is there once": [
        put("t9", MESSAGES, 2, "content", 0, "tool_use_id"), put("t2", MESSAGES, 2, "content", 0, "tool_use_id")],
    "results stand before texts": [lambda r: r.body[MESSAGES][2]["content"].reverse()],
    "ids of calls are unique words": [put("t 1", MESSAGES, 1, "content", 2, "id"), put("t2", MESSAGES, 1, "content", 2, "id")],
    "the input of a call is an object, its result a text": [put("{}", MESSAGES, 1, "content", 2, "input"),
                                                            put({}, MESSAGES, 2, "content", 0, "content")],
    "tools: members and names": [put("a b", "tools", 0, "name"), put("x" * 65, "tools", 0, "name"),
                                 put("read", "tools", 0, "name"), put(1, "tools", 0, "parameters"), drop("tools")],
    "tools: schemas are plain objects at the top": [
        put("string", "tools", 0, "input_schema", "type"), put([], "tools", 0, "input_schema", "anyOf"),
        put(["sql", "sql"], "tools", 0, "input_schema", "required"), put(5, "tools", 0, "input_schema", "properties", "sql"),
        put([], "tools", 0, "input_schema", "properties", "rows", "items"), put(5, "tools", 0, "input_schema", "properties"),
        put(None, "tools", 0, "input_schema")],
    "tools: names of properties": [put({}, "tools", 0, "input_schema", "properties", name)
                                   for name in ("$top", "filter[id]", "x" * 65, "")],
    "at most four marks for the cache, where they may stand": [
        put("forever", "system", 0, "cache_control", "type"),
        put({"type": "ephemeral"}, MESSAGES, 2, "content", 0, "cache_control")],
    "output_config: known efforts, a schema": [put("huge", "output_config", "effort"), put({}, "output_config", "format"),
                                               put(1, "output_config", "schema")],
    "the budget of thinking is 1024 or more, and below max_tokens": [
        put(1000, "thinking", "budget_tokens"), put(2000, "thinking", "budget_tokens"), put("adaptive", "thinking", "type")],
    "thinking has the signature that it was given": [put("Hm!", MESSAGES, 1, "content", 0, "thinking"),
                                                     put("x", MESSAGES, 1, "content", 0, "signature")],
    "all before thinking is as it was when the model thought it": [
        adaptive(put("Why?", MESSAGES, 0, "content", 0, "text")), adaptive(put("Be long.", "system", 0, "text")),
        adaptive(drop("tools", 1))],
    "no message ends with thinking": [put([{"type": "thinking", "thinking": "", "signature": ""}], MESSAGES, 1, "content")],
    "a message with thinking begins with it": [lambda r: r.body[MESSAGES][1]["content"].reverse()],
    "the turn that goes on begins with its thinking": [drop(MESSAGES, 1, "content", 0)],
    "in the turn that goes on no thinking is left out, added or moved": [
        drop(MESSAGES, 1, "content", 0), put("x", MESSAGES, 1, "content", 0, "signature"),
        adaptive(put("Hm!", MESSAGES, 1, "content", 0, "thinking"))],
}
CHAT = {
    "headers: a bearer, JSON": [header("authorization", "key"), header("content-type", "")],
    "a request has a model and messages": [drop("model"), put([], MESSAGES)],
    "members of the request and of its messages": [
        put(1, "cache_control"), put("x", MESSAGES, 2, "reasoning_content"), put(0, MESSAGES, 2, "tool_calls", 0, "index"),
        put(1, MESSAGES, 2, "tool_calls", 0, "function", "x")],
    "roles are known": [put("model", MESSAGES, 1, "role")],
    "content is a text, or null beside calls": [put(None, MESSAGES, 5, "content"), put("", MESSAGES, 1, "content"),
                                                put([], MESSAGES, 3, "content")],
    "a list of calls isn't empty": [put([], MESSAGES, 5, "tool_calls")],
    "calls are answered, each once, before anybody else speaks": [
        drop(MESSAGES, 3), put("c2", MESSAGES, 3, "tool_call_id"),
        lambda r: r.body[MESSAGES].insert(3, {"role": "user", "content": "Wait."})],
    "a tool's message follows its call": [drop(MESSAGES, 2), put("c9", MESSAGES, 3, "tool_call_id")],
    "ids of calls are no longer than 40": [put("x" * 41, MESSAGES, 2, "tool_calls", 0, "id"),
                                           put("", MESSAGES, 2, "tool_calls", 0, "id")],
    "ids of calls are unique in their message": [put("c2", MESSAGES, 2, "tool_calls", 0, "id")],
    "a call is of a function with a name": [put("tool", MESSAGES, 2, "tool_calls", 0, "type"),
                                            put("a b", MESSAGES, 2, "tool_calls", 0, "function", "name")],
    "arguments are a text that holds a JSON object": [
        put(value, MESSAGES, 2, "tool_calls", 0, "function", "arguments") for value in ({}, "", "{", "[]")],
    "tools: a form and names": [put([], "tools"), put("a b", "tools", 0, "function", "name"), put(1, "tools", 0, "name"),
                                put(1, "tools", 0, "function", "input_schema"), put("x", "tools", 0, "type")],
    "tools: schemas are plain objects at the top": [
        put({"type": "object", "oneOf": []}, "tools", 0, "function", "parameters"), drop("tools", 0, "function", "parameters")],
    "tools: arrays say of what": [
        put({"type": "array"}, "tools", 0, "function", "parameters", "properties", "rows"),
        put({"type": ["array", "null"]}, "tools", 0, "function", "parameters", "properties", "rows"),
        put({"anyOf": [{"type": "array"}]}, "tools", 0, "function", "parameters", "properties", "rows"),
        put({"type": "array"}, "tools", 0, "function", "parameters", "properties", "rows", "items")],
    "at most 128 tools": [lambda r: r.body.update(tools=r.body["tools"] * TOOLS)],
    "what is about tools only stands beside them": [drop("tools")],
    "one limit of the output, a positive number": [put(5, "max_tokens"), drop("max_completion_tokens"),
                                                   put(0, "max_completion_tokens")],
    "stream_options only stand beside stream": [drop("stream")],
    "an answer as JSON has a name and a schema": [put("a b", "response_format", "json_schema", "name"),
                                                  drop("response_format", "json_schema", "schema"),
                                                  put(1, "response_format", "schema")],
}
MISTRAL = {
    "ids of calls are nine letters and digits": [put("call_1234", MESSAGES, 1, "tool_calls", 0, "id"),
                                                 put("abcdef1234", MESSAGES, 2, "tool_call_id")],
    "roles follow each other as they may": [add({"role": "user", "content": "So?"}, MESSAGES), drop(MESSAGES, 1)],
    "the last message is a user's or a tool's": [add({"role": "assistant", "content": "So."}, MESSAGES)],
    "an assistant says something or calls": [put([], MESSAGES, 1, "tool_calls")],
    "members of messages": [put("x", MESSAGES, 1, "reasoning_content"), put("x", MESSAGES, 0, "name"),
                            put({}, MESSAGES, 1, "tool_calls", 0, "extra_content")],
    "members of the request": [put(5, "max_completion_tokens"), put({}, "stream_options")],
}
RESPONSES = {
    "headers: a bearer, JSON": [header("authorization", ""), header("content-type", "")],
    "members of the request": [put([], MESSAGES), drop("model")],
    "items and their members are known": [put(1, "input", 2, "index"), put("call", "input", 2, "type"),
                                          drop("input", 2, "call_id")],
    "parts belong to who says them": [put("output_text", "input", 0, "content", 0, "type"),
                                      put("input_text", "input", 6, "content", 0, "type"), put("tool", "input", 0, "role")],
    "an assistant's parts come with all of their item": [drop("input", 6, "id"), drop("input", 6, "status"),
                                                         drop("input", 6, "content", 0, "annotations")],
    "ids of items begin with their kind": [put("call_1", "input", 2, "id"), put("x", "input", 6, "id")],
    "call ids are 1 to 64 long and unique": [put("x" * 65, "input", 2, "call_id"), put("call_2", "input", 2, "call_id")],
    "every call has its output, behind it and before anybody else speaks": [
        drop("input", 4), lambda r: r.body["input"].insert(4, r.body["input"][0])],
    "every output has its call before it, and is there once": [drop("input", 2), put("call_2", "input", 4, "call_id")],
    "names, arguments and outputs are texts": [put("a b", "input", 2, "name"), put({}, "input", 2, "arguments"),
                                               put("{", "input", 2, "arguments"), put([], "input", 4, "output")],
    "reasoning is followed by what it led to": [
        lambda r: r.body["input"].append(r.body["input"].pop(1)),
        lambda r: r.body["input"].insert(0, r.body["input"].pop(1))],
    "an item has the reasoning that led to it before it": [drop("input", 1)],
    "reasoning that isn't kept there brings its encrypted content, unchanged": [
        drop("input", 1, "encrypted_content"), put("x", "input", 1, "encrypted_content"),
        put([{"type": "summary_text", "text": "x"}], "input", 1, "summary")],
    "tools: a form and names": [put("read", "tools", 0, "name"), put({}, "tools", 0, "function"), put("x", "tools", 0, "type")],
    "tools: schemas are plain objects at the top": [put({"type": "object", "not": {}}, "tools", 0, "parameters")],
    "tools: arrays say of what": [put({"type": "array"}, "tools", 0, "parameters", "properties", "rows")],
    "at most 128 tools": [lambda r: r.body.update(tools=r.body["tools"] * TOOLS)],
    "max_output_tokens is 16 or more": [put(15, "max_output_tokens")],
    "an answer as JSON has a name and a schema": [drop("text", "format", "name"), put(1, "text", "format", "schema")],
}
DETAILS = [{"type": "reasoning.text", "text": "Hm.", "index": 0}]
SIGNED = {"google": {"thought_signature": "U0lH"}}
# (what it is, rules, a good request, requests that break each)
TABLES = [
    ("anthropic", anthropic_rules.RULES + anthropic_thinking_rules.RULES, good_requests.anthropic, ANTHROPIC),
    ("chat", chat_rules.RULES + chat_rules.OWN_RULES, good_requests.chat, CHAT),
    ("responses", responses_rules.RULES, good_requests.responses, RESPONSES),
    ("mistral", dialect_rules.MISTRAL, good_requests.server_of_chat, MISTRAL),
    ("llama.cpp", dialect_rules.LLAMA_CPP, lambda: good_requests.server_of_chat("reasoning_content", "Hm."), {
        "no thinking beside both text and calls": [put("Let me look.", MESSAGES, 1, "content")]}),
    ("ollama", dialect_rules.OLLAMA, good_requests.server_of_chat, {
        "only what it reads is asked for": [put(5, "max_completion_tokens"), put(True, "parallel_tool_calls")]}),
    ("kimi", dialect_rules.KIMI, good_requests.server_of_chat, {
        "ids of calls go back as they were given": [put("hex-id_61", MESSAGES, 1, "tool_calls", 0, "id")],
        "tools: a type each, with anyOf in its items": [
            offer({"type": "string", "anyOf": [{"type": "string"}]}), offer({"enum": [1]}),
            offer({"type": "array", "items": {}})]}),
    ("deepseek", dialect_rules.DEEPSEEK, lambda: good_requests.server_of_chat("reasoning_content", "Hm."), {
        "reasoning_content of replies with calls goes back": [
            drop(MESSAGES, 1, "reasoning_content"), put("", MESSAGES, 1, "reasoning_content")]}),
    ("openrouter", dialect_rules.OPENROUTER, lambda: good_requests.server_of_chat("reasoning_details", DETAILS), {
        "reasoning_details go back as they came": [
            put([], MESSAGES, 1, "reasoning_details"), put("x", MESSAGES, 1, "reasoning_details", 0, "text")]}),
    ("gemini", dialect_rules.GEMINI, lambda: good_requests.server_of_chat(None, SIGNED, "extra_content"), {
        "calls bring their thought_signature back": [
            drop(MESSAGES, 1, "tool_calls", 0, "extra_content"), put({}, MESSAGES, 1, "tool_calls", 0, "extra_content")],
        "tools: anyOf stands alone": [
            offer({"description": "d", "anyOf": [{"type": "string"}]}),
            offer({"type": "array", "items": {"anyOf": [{"type": "string"}], "nullable": True}})],
        "tools: objects have properties, arrays say of what": [offer(None), offer({"type": "array"})]}),
]


class Rules(unittest.TestCase):
    def test_good_requests_break_none(self):
        for name, rules, good, _breaks in TABLES:
            with self.subTest(name):
                self.assertEqual([], [str(one) for one in violations(rules, good())])
        self.assertEqual([], violations(TABLES[0][1], good_requests.anthropic("adaptive")))
        self.assertEqual([], violations(chat_rules.RULES, good_requests.server_of_chat("reasoning_content", "Hm.")))

    def test_every_rule_is_broken_by_some_request(self):
        for name, rules, _good, breaks in TABLES:
            with self.subTest(name):
                self.assertEqual(sorted(breaks), sorted(rule.name for rule in rules))

    def test_what_breaks_a_rule_is_found(self):
        for name, rules, good, breaks in TABLES:
            for wanted, changes in breaks.items():
                for number, change in enumerate(changes):
                    with self.subTest(name, rule=wanted, change=number):
                        request = copy.deepcopy(good())
                        change(request)
                        self.assertIn(wanted, {one.rule.name for one in violations(rules, request)})

    def test_rules_name_their_source(self):
        for name, rules, _good, _breaks in TABLES:
            for rule in rules:
                with self.subTest(name, rule=rule.name):
                    self.assertTrue(rule.source.url.startswith("https://") and rule.source.title)

    def test_what_is_no_request_breaks_rules_and_nothing_else(self):
        for name, rules, _good, _breaks in TABLES[:3]:
            for body in ({}, {"messages": 5, "input": 5}, {"messages": [5], "input": [5], "tools": {}},
                         {"messages": [{"role": "user", "content": [{}], "tool_calls": [{}]}], "input": [{}]}):
                with self.subTest(name, body=body):
                    self.assertTrue(violations(rules, Request(body)))


if __name__ == "__main__":
    unittest.main()
