# SPDX-License-Identifier: Apache-2.0
"""Chat completions as OpenAI has them. `RULES` hold at all servers, `OWN_RULES` where nothing may be added to them."""

import json

from . import sources
from .rule import missing, rule, unknown
from .tool_rules import NAME, arrays_of_nothing, bad_answer_format, bad_names, bad_schemas

RULES = []
OWN_RULES = []
_BODY = {"model", "messages", "max_completion_tokens", "max_tokens", "tools", "tool_choice", "parallel_tool_calls",
         "reasoning_effort", "response_format", "stream", "stream_options", "temperature", "top_p", "stop", "seed",
         "store", "metadata", "n", "user", "verbosity", "prompt_cache_key", "safety_identifier", "service_tier"}
_MEMBERS = {"system": {"role", "content", "name"}, "developer": {"role", "content", "name"},
            "user": {"role", "content", "name"}, "tool": {"role", "content", "tool_call_id"},
            "assistant": {"role", "content", "name", "refusal", "tool_calls"}}
_ID_LENGTH_MAX = 40
_TOOLS_MAX = 128


def calls_of(message):
    return message.get("tool_calls") or []


def every_call(request):
    """(place, call)"""
    for i, message in enumerate(request.body["messages"]):
        for j, call in enumerate(calls_of(message)):
            yield f"messages[{i}].tool_calls[{j}]", call


@rule(RULES, "headers: a bearer, JSON", sources.OPENAI_CHAT)
def _(request):
    if not request.headers.get("authorization", "").startswith("Bearer "):
        yield "authorization: You didn't provide an API key"
    if not request.headers.get("content-type", "").startswith("application/json"):
        yield "content-type: application/json"


@rule(RULES, "a request has a model and messages", sources.OPENAI_CHAT)
def _(request):
    yield from missing(request.body, ("model", "messages"), "body")
    if not request.body["messages"]:
        yield "messages: [] is too short"


@rule(OWN_RULES, "members of the request and of its messages", sources.OPENAI_CHAT)
def _(request):
    yield from unknown(request.body, _BODY, "body")
    for i, message in enumerate(request.body["messages"]):
        yield from unknown(message, _MEMBERS[message["role"]], f"messages[{i}]")
    for place, call in every_call(request):
        yield from unknown(call, {"id", "type", "function"}, place)
        yield from unknown(call["function"], {"name", "arguments"}, f"{place}.function")


@rule(RULES, "roles are known", sources.OPENAI_CHAT)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        if message["role"] not in _MEMBERS:
            yield f"messages[{i}].role: {message['role']!r}"


@rule(RULES, "content is a text, or null beside calls", sources.OPENAI_CHAT)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        content = message.get("content")
        if content is None and message["role"] == "assistant" and calls_of(message):
            continue
        if not isinstance(content, str):
            yield f"messages[{i}].content: expected a string, got {content!r}"
        elif not content and message["role"] in ("system", "user"):
            yield f"messages[{i}].content: is empty"


@rule(RULES, "a list of calls isn't empty", sources.OPENAI_CHAT)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        if "tool_calls" in message and not message["tool_calls"]:
            yield f"messages[{i}].tool_calls: [] is too short"


@rule(RULES, "calls are answered, each once, before anybody else speaks", sources.OPENAI_ANSWERED)
def _(request):
    messages = request.body["messages"]
    for i, message in enumerate(messages):
        called = [call["id"] for call in calls_of(message)]
        answers = []
        for later in messages[i + 1:]:
            if later["role"] != "tool":
                break
            answers.append(later["tool_call_id"])
        if called and sorted(answers) != sorted(called):
            yield f"messages[{i}]: tool_call_ids {called} are answered by {answers}"


@rule(RULES, "a tool's message follows its call", sources.OPENAI_ORPHAN)
def _(request):
    open_calls = []
    for i, message in enumerate(request.body["messages"]):
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                yield f"messages[{i}]: role 'tool' must be a response to a preceding message with 'tool_calls'"
        else:
            open_calls = [call["id"] for call in calls_of(message)]


@rule(OWN_RULES, "ids of calls are no longer than 40", sources.OPENAI_ID_LENGTH)
def _(request):
    for place, call in every_call(request):
        if not 1 <= len(call["id"]) <= _ID_LENGTH_MAX:
            yield f"{place}.id: string too long. Expected a string with maximum length {_ID_LENGTH_MAX}"


@rule(RULES, "ids of calls are unique in their message", sources.OPENAI_CHAT)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        called = [call["id"] for call in calls_of(message)]
        if len(set(called)) < len(called):
            yield f"messages[{i}].tool_calls: the ids {called}"


@rule(RULES, "a call is of a function with a name", sources.OPENAI_CHAT)
def _(request):
    for place, call in every_call(request):
        if call.get("type") != "function":
            yield f"{place}.type: {call.get('type')!r}"
        if not NAME.fullmatch(call["function"]["name"]):
            yield f"{place}.function.name: {call['function']['name']!r}"


@rule(RULES, "arguments are a text that holds a JSON object", sources.LLAMA_ARGUMENTS)
def _(request):
    for place, call in every_call(request):
        arguments = call["function"]["arguments"]
        if not isinstance(arguments, str):
            yield f"{place}.function.arguments: expected a string"
        elif not isinstance(json.loads(arguments), dict):
            yield f"{place}.function.arguments: no object"


@rule(RULES, "tools: a form and names", sources.OPENAI_CHAT)
def _(request):
    tools = request.body.get("tools", [])
    if "tools" in request.body and not tools:
        yield "tools: [] is too short"
    yield from bad_names([tool["function"]["name"] for tool in tools])
    for i, tool in enumerate(tools):
        yield from unknown(tool, {"type", "function"}, f"tools[{i}]")
        yield from unknown(tool["function"], {"name", "description", "parameters", "strict"}, f"tools[{i}].function")
        if tool.get("type") != "function":
            yield f"tools[{i}].type: {tool.get('type')!r}"


@rule(RULES, "tools: schemas are plain objects at the top", sources.OPENAI_SCHEMA)
def _(request):
    yield from bad_schemas([tool["function"].get("parameters") for tool in request.body.get("tools", [])])


@rule(OWN_RULES, "tools: arrays say of what", sources.OPENAI_ITEMS)
def _(request):
    for i, tool in enumerate(request.body.get("tools", [])):
        yield from arrays_of_nothing(tool["function"].get("parameters"), f"tools[{i}]")


@rule(OWN_RULES, "at most 128 tools", sources.OPENAI_TOOLS_MAX)
def _(request):
    if len(request.body.get("tools", [])) > _TOOLS_MAX:
        yield f"tools: array too long. Expected an array with maximum length {_TOOLS_MAX}"


@rule(RULES, "what is about tools only stands beside them", sources.OPENAI_CHAT)
def _(request):
    for key in ("tool_choice", "parallel_tool_calls"):
        if key in request.body and "tools" not in request.body:
            yield f"{key}: is only allowed when 'tools' are specified"


@rule(RULES, "one limit of the output, a positive number", sources.OPENAI_CHAT)
def _(request):
    given = [key for key in ("max_tokens", "max_completion_tokens") if key in request.body]
    if len(given) != 1:
        yield f"max_tokens and max_completion_tokens: there are {len(given)} of them"
    for key in given:
        if not isinstance(request.body[key], int) or request.body[key] < 1:
            yield f"{key}: {request.body[key]!r}"


@rule(RULES, "stream_options only stand beside stream", sources.OPENAI_CHAT)
def _(request):
    if "stream_options" in request.body and not request.body.get("stream"):
        yield "stream_options: is only allowed when 'stream' is enabled"


@rule(RULES, "an answer as JSON has a name and a schema", sources.OPENAI_CHAT)
def _(request):
    form = request.body.get("response_format")
    if form is not None:
        yield from unknown(form, {"type", "json_schema"}, "response_format")
        yield from bad_answer_format(form["json_schema"], "response_format.json_schema")
