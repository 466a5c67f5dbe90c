# SPDX-License-Identifier: Apache-2.0
"""OpenAI's Responses, without anything kept there: items go together, and go back as they came."""

import json

from . import seal, sources
from .rule import missing, rule, unknown
from .tool_rules import NAME, arrays_of_nothing, bad_answer_format, bad_names, bad_schemas

RULES = []
_BODY = {"model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens", "store",
         "include", "reasoning", "text", "stream", "stream_options", "temperature", "top_p", "metadata", "truncation",
         "prompt_cache_key", "safety_identifier", "service_tier", "max_tool_calls", "background", "user"}
_ITEMS = {"message": {"type", "id", "role", "content", "status", "phase"},
          "function_call": {"type", "id", "call_id", "name", "arguments", "status", "caller", "namespace"},
          "function_call_output": {"type", "id", "call_id", "output", "status", "caller", "name", "namespace"},
          "reasoning": {"type", "id", "summary", "content", "encrypted_content", "status"}}
_NEEDED = {"message": ("role", "content"), "function_call": ("call_id", "name", "arguments"),
           "function_call_output": ("call_id", "output"), "reasoning": ("id", "summary")}
_PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}
_CALL_ID_LENGTH_MAX = 64
_OUTPUT_TOKENS_MIN = 16
_TOOLS_MAX = 128


def kind(item):
    return item.get("type", "message")


def items_of(request):
    """(place, item)"""
    return [(f"input[{i}]", item) for i, item in enumerate(request.body["input"])]


def of_kind(request, wanted):
    return [(place, item) for place, item in items_of(request) if kind(item) == wanted]


@rule(RULES, "headers: a bearer, JSON", sources.OPENAI_RESPONSES)
def _(request):
    if not request.headers.get("authorization", "").startswith("Bearer "):
        yield "authorization: You didn't provide an API key"
    if not request.headers.get("content-type", "").startswith("application/json"):
        yield "content-type: application/json"


@rule(RULES, "members of the request", sources.OPENAI_RESPONSES)
def _(request):
    yield from unknown(request.body, _BODY, "body")
    yield from missing(request.body, ("model", "input"), "body")


@rule(RULES, "items and their members are known", sources.OPENAI_RESPONSES)
def _(request):
    for place, item in items_of(request):
        if kind(item) not in _ITEMS:
            yield f"{place}.type: {kind(item)!r}"
            continue
        yield from unknown(item, _ITEMS[kind(item)], place)
        yield from missing(item, _NEEDED[kind(item)], place)


@rule(RULES, "parts belong to who says them", sources.OPENAI_RESPONSES)
def _(request):
    for place, item in of_kind(request, "message"):
        if item["role"] not in ("user", "assistant", "system", "developer"):
            yield f"{place}.role: {item['role']!r}"
        if isinstance(item["content"], str):
            continue
        wanted = ("output_text", "refusal") if item["role"] == "assistant" else ("input_text",)
        for j, part in enumerate(item["content"]):
            if part["type"] not in wanted:
                yield f"{place}.content[{j}].type: {part['type']!r} of role {item['role']}"


@rule(RULES, "an assistant's parts come with all of their item", sources.OPENAI_RESPONSES)
def _(request):
    for place, item in of_kind(request, "message"):
        if item["role"] != "assistant" or isinstance(item["content"], str):
            continue
        yield from missing(item, ("id", "status", "type"), place)
        for j, part in enumerate(item["content"]):
            if part["type"] == "output_text":
                yield from missing(part, ("text", "annotations"), f"{place}.content[{j}]")


@rule(RULES, "ids of items begin with their kind", sources.OPENAI_PREFIX)
def _(request):
    for place, item in items_of(request):
        prefix = _PREFIXES.get(kind(item), "")
        if item.get("id") and not item["id"].startswith(prefix):
            yield f"{place}.id: {item['id']!r}. Expected an ID that begins with '{prefix}'"


@rule(RULES, "call ids are 1 to 64 long and unique", sources.OPENAI_RESPONSES)
def _(request):
    seen = set()
    for place, item in of_kind(request, "function_call"):
        if not 1 <= len(item["call_id"]) <= _CALL_ID_LENGTH_MAX:
            yield f"{place}.call_id: string too long"
        if item["call_id"] in seen:
            yield f"{place}.call_id: {item['call_id']} is there twice"
        seen.add(item["call_id"])


@rule(RULES, "every call has its output, behind it and before anybody else speaks", sources.OPENAI_RESPONSES)
def _(request):
    waiting = []
    for place, item in items_of(request):
        if kind(item) == "function_call":
            waiting.append(item["call_id"])
        elif kind(item) == "function_call_output":
            waiting = [one for one in waiting if one != item["call_id"]]
        elif kind(item) == "message" and item["role"] != "assistant" and waiting:
            yield f"{place}: No tool output found for function call {waiting}"
    if waiting:
        yield f"input: No tool output found for function call {waiting}"


@rule(RULES, "every output has its call before it, and is there once", sources.OPENAI_RESPONSES)
def _(request):
    waiting = set()
    for place, item in items_of(request):
        if kind(item) == "function_call":
            waiting.add(item["call_id"])
        if kind(item) == "function_call_output":
            if item["call_id"] not in waiting:
                yield f"{place}: No tool call found for function call output with call_id {item['call_id']}"
            waiting.discard(item["call_id"])


@rule(RULES, "names, arguments and outputs are texts", sources.OPENAI_RESPONSES)
def _(request):
    for place, item in of_kind(request, "function_call"):
        if not NAME.fullmatch(item["name"]):
            yield f"{place}.name: {item['name']!r}"
        if not isinstance(item["arguments"], str) or not isinstance(json.loads(item["arguments"]), dict):
            yield f"{place}.arguments: must be the text of a JSON object"
    for place, item in of_kind(request, "function_call_output"):
        if not isinstance(item["output"], str):
            yield f"{place}.output: expected a string"


@rule(RULES, "reasoning is followed by what it led to", sources.OPENAI_FOLLOWING)
def _(request):
    items = request.body["input"]
    for i, item in enumerate(items):
        if kind(item) != "reasoning":
            continue
        after = items[i + 1] if i + 1 < len(items) else {"type": "nothing"}
        led = kind(after) in ("function_call", "reasoning") or (kind(after) == "message" and
                                                                after["role"] == "assistant")
        if not led:
            yield f"input[{i}]: Item '{item['id']}' of type 'reasoning' was provided without its required following item"


@rule(RULES, "an item has the reasoning that led to it before it", sources.OPENAI_NEEDS_REASONING)
def _(request):
    items = request.body["input"]
    present = {item.get("id") for item in items if kind(item) == "reasoning"}
    for place, item in items_of(request):
        output = request.said.get(item.get("id") or item.get("call_id"), []) if kind(item) == "function_call" else []
        for one in output:
            if item.get("id") and kind(one) == "reasoning" and one["id"] not in present:
                yield f"{place}: Item '{item['id']}' was provided without its required 'reasoning' item: '{one['id']}'"


@rule(RULES, "reasoning that isn't kept there brings its encrypted content, unchanged", sources.OPENAI_NOT_STORED)
def _(request):
    for place, item in of_kind(request, "reasoning"):
        if request.body.get("store") is not False:
            continue
        if not item.get("encrypted_content"):
            yield f"{place}: Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false"
        elif item["encrypted_content"] != seal.encrypted(item["id"], item["summary"]):
            yield f"{place}: The encrypted content for item {item['id']} could not be verified"


@rule(RULES, "tools: a form and names", sources.OPENAI_RESPONSES)
def _(request):
    tools = request.body.get("tools", [])
    yield from bad_names([tool["name"] for tool in tools])
    for i, tool in enumerate(tools):
        yield from unknown(tool, {"type", "name", "description", "parameters", "strict"}, f"tools[{i}]")
        if tool.get("type") != "function":
            yield f"tools[{i}].type: {tool.get('type')!r}"


@rule(RULES, "tools: schemas are plain objects at the top", sources.OPENAI_SCHEMA)
def _(request):
    yield from bad_schemas([tool.get("parameters") for tool in request.body.get("tools", [])])


@rule(RULES, "tools: arrays say of what", sources.OPENAI_ITEMS)
def _(request):
    for i, tool in enumerate(request.body.get("tools", [])):
        yield from arrays_of_nothing(tool.get("parameters"), f"tools[{i}]")


@rule(RULES, "at most 128 tools", sources.OPENAI_TOOLS_MAX)
def _(request):
    if len(request.body.get("tools", [])) > _TOOLS_MAX:
        yield f"tools: array too long. Expected an array with maximum length {_TOOLS_MAX}"


@rule(RULES, "max_output_tokens is 16 or more", sources.OPENAI_RESPONSES)
def _(request):
    limit = request.body.get("max_output_tokens", _OUTPUT_TOKENS_MIN)
    if not isinstance(limit, int) or limit < _OUTPUT_TOKENS_MIN:
        yield f"max_output_tokens: {limit!r}. Expected a value >= {_OUTPUT_TOKENS_MIN}"


@rule(RULES, "an answer as JSON has a name and a schema", sources.OPENAI_RESPONSES)
def _(request):
    form = request.body.get("text", {}).get("format")
    if form is not None:
        yield from bad_answer_format(form, "text.format")
