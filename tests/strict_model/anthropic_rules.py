# SPDX-License-Identifier: Apache-2.0
"""Anthropic's Messages: what a request must have and may have, and how calls and results go together."""

import re

from . import sources
from .rule import blank, missing, rule, unknown
from .tool_rules import bad_keys, bad_names, bad_schemas

RULES = []
_BODY = {"model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "stream",
         "stop_sequences", "metadata", "service_tier", "inference_geo", "container", "cache_control", "temperature",
         "top_k", "top_p", "user_profile_id"}
_BLOCKS = {"text": {"type", "text", "cache_control", "citations"},
           "tool_use": {"type", "id", "name", "input", "cache_control", "caller", "toolset_name"},
           "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"},
           "thinking": {"type", "thinking", "signature"}, "redacted_thinking": {"type", "data"}}
_NEEDED = {"text": ("text",), "tool_use": ("id", "name", "input"), "tool_result": ("tool_use_id",),
           "thinking": ("thinking", "signature"), "redacted_thinking": ("data",)}
_OF_ROLE = {"user": {"text", "tool_result"}, "assistant": {"text", "tool_use", "thinking", "redacted_thinking"}}
_TOOL = {"name", "description", "input_schema", "cache_control", "strict", "type", "defer_loading", "allowed_callers",
         "eager_input_streaming", "input_examples"}
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_ID = re.compile(r"[a-zA-Z0-9_-]+")


def blocks_of(message):
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def every_block(request):
    """(place, role, block)"""
    for i, message in enumerate(request.body["messages"]):
        for j, block in enumerate(blocks_of(message)):
            yield f"messages.{i}.content.{j}", message["role"], block


def ids(message, kind, key):
    return [block[key] for block in blocks_of(message) if block["type"] == kind]


@rule(RULES, "headers: the version, one credential, JSON", sources.ANTHROPIC_ERRORS)
def _(request):
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", request.headers.get("anthropic-version", "")):
        yield "anthropic-version: header is required"
    if ("x-api-key" in request.headers) == ("authorization" in request.headers):
        yield "x-api-key and authorization: one of them"
    if not request.headers.get("content-type", "").startswith("application/json"):
        yield "content-type: application/json"


@rule(RULES, "members of the request", sources.ANTHROPIC_TYPES)
def _(request):
    yield from unknown(request.body, _BODY, "body")
    yield from missing(request.body, ("model", "max_tokens", "messages"), "body")


@rule(RULES, "max_tokens is a positive number", sources.ANTHROPIC_ERRORS)
def _(request):
    if not isinstance(request.body["max_tokens"], int) or request.body["max_tokens"] < 1:
        yield "max_tokens: Input should be greater than or equal to 1"


@rule(RULES, "no sampling parameters in the newest version", sources.ANTHROPIC_VERSION)
def _(request):
    if request.headers["anthropic-version"] >= "2026-10-21":
        for key in ("temperature", "top_p", "top_k"):
            if key in request.body:
                yield f"{key}: Extra inputs are not permitted"


@rule(RULES, "roles alternate and begin with the user's", sources.ANTHROPIC_ERRORS)
def _(request):
    messages = request.body["messages"]
    if not messages or messages[0]["role"] != "user":
        yield "messages: first message must use the 'user' role"
    for i, message in enumerate(messages):
        if message["role"] not in _OF_ROLE:
            yield f"messages.{i}.role: {message['role']!r}"
        if i and message["role"] == messages[i - 1]["role"]:
            yield f"messages.{i}: roles must alternate"


@rule(RULES, "messages have content", sources.ANTHROPIC_TYPES)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        yield from unknown(message, {"role", "content"}, f"messages.{i}")
        if not message["content"]:
            yield f"messages.{i}: all messages must have non-empty content"


@rule(RULES, "blocks and their members are known", sources.ANTHROPIC_TYPES)
def _(request):
    for place, _role, block in every_block(request):
        if block["type"] not in _BLOCKS:
            yield f"{place}.type: {block['type']!r}"
            continue
        yield from unknown(block, _BLOCKS[block["type"]], place)
        yield from missing(block, _NEEDED[block["type"]], place)


@rule(RULES, "blocks stand with whom they belong to", sources.ANTHROPIC_TYPES)
def _(request):
    for place, role, block in every_block(request):
        if block["type"] not in _OF_ROLE[role]:
            yield f"{place}: {block['type']} of role {role}"


@rule(RULES, "texts are not blank", sources.ANTHROPIC_BLANK)
def _(request):
    texts = [(place, block) for place, _role, block in every_block(request) if block["type"] == "text"]
    system = request.body.get("system") or []
    if isinstance(system, list):
        texts += [(f"system.{i}", block) for i, block in enumerate(system)]
    for place, block in texts:
        if blank(block["text"]):
            yield f"{place}: text content blocks must contain non-whitespace text"


@rule(RULES, "the last words of an assistant have no space behind them", sources.ANTHROPIC_TRAILING)
def _(request):
    last = request.body["messages"][-1]
    if last["role"] == "assistant":
        text = blocks_of(last)[-1].get("text", "")
        if text != text.rstrip():
            yield "messages: final assistant content cannot end with trailing whitespace"


@rule(RULES, "every call is answered in the next message", sources.ANTHROPIC_UNANSWERED)
def _(request):
    messages = request.body["messages"]
    for i, message in enumerate(messages):
        answered = ids(messages[i + 1], "tool_result", "tool_use_id") if i + 1 < len(messages) else []
        left = set(ids(message, "tool_use", "id")) - set(answered)
        if left:
            yield f"messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {left}"


@rule(RULES, "every result has its call in the message before, and is there once", sources.ANTHROPIC_ORPHAN)
def _(request):
    messages = request.body["messages"]
    for i, message in enumerate(messages):
        called = ids(messages[i - 1], "tool_use", "id") if i else []
        results = ids(message, "tool_result", "tool_use_id")
        for one in results:
            if one not in called:
                yield f"messages.{i}: unexpected `tool_use_id` found in `tool_result` blocks: {one}"
        if len(set(results)) < len(results):
            yield f"messages.{i}: each tool_use must have a single result"


@rule(RULES, "results stand before texts", sources.ANTHROPIC_TOOLS)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        kinds = [block["type"] for block in blocks_of(message)]
        if "tool_result" in kinds and "tool_result" in kinds[kinds.count("tool_result"):]:
            yield f"messages.{i}: a text stands before a result"


@rule(RULES, "ids of calls are unique words", sources.ANTHROPIC_UNIQUE)
def _(request):
    seen = set()
    for place, _role, block in every_block(request):
        if block["type"] != "tool_use":
            continue
        if not _ID.fullmatch(block["id"]):
            yield f"{place}.id: {block['id']!r} does not match '^{_ID.pattern}$'"
        if block["id"] in seen:
            yield f"{place}: `tool_use` ids must be unique"
        seen.add(block["id"])


@rule(RULES, "the input of a call is an object, its result a text", sources.ANTHROPIC_TYPES)
def _(request):
    for place, _role, block in every_block(request):
        if block["type"] == "tool_use" and not isinstance(block["input"], dict):
            yield f"{place}.input: Input should be an object"
        if block["type"] == "tool_result" and not isinstance(block.get("content", ""), str):
            yield f"{place}.content: this worker sends texts"


@rule(RULES, "tools: members and names", sources.ANTHROPIC_TYPES)
def _(request):
    tools = request.body.get("tools", [])
    yield from bad_names([tool["name"] for tool in tools])
    for i, tool in enumerate(tools):
        yield from unknown(tool, _TOOL, f"tools.{i}")
    if "tool_choice" in request.body and not tools:
        yield "tool_choice: may only be specified while providing tools"


@rule(RULES, "tools: schemas are plain objects at the top", sources.ANTHROPIC_SCHEMA)
def _(request):
    schemas = [tool.get("input_schema") for tool in request.body.get("tools", [])]
    yield from bad_schemas(schemas, ("oneOf", "anyOf", "allOf"))


@rule(RULES, "tools: names of properties", sources.ANTHROPIC_KEYS)
def _(request):
    yield from bad_keys([tool["input_schema"] for tool in request.body.get("tools", [])])


@rule(RULES, "at most four marks for the cache, where they may stand", sources.ANTHROPIC_CACHING)
def _(request):
    system = request.body.get("system") or []
    places = [(f"system.{i}", block) for i, block in enumerate(system) if isinstance(block, dict)]
    places += [(f"tools.{i}", tool) for i, tool in enumerate(request.body.get("tools", []))]
    places += [(place, block) for place, _role, block in every_block(request)]
    marked = [(place, part) for place, part in places if "cache_control" in part]
    if len(marked) > 4:
        yield f"a maximum of 4 blocks with cache_control may be provided, found {len(marked)}"
    for place, part in marked:
        if part["cache_control"].get("type") != "ephemeral":
            yield f"{place}.cache_control.type: {part['cache_control'].get('type')!r}"


@rule(RULES, "output_config: known efforts, a schema", sources.ANTHROPIC_TYPES)
def _(request):
    config = request.body.get("output_config", {})
    yield from unknown(config, {"effort", "format"}, "output_config")
    if config.get("effort", "low") not in _EFFORTS:
        yield f"output_config.effort: {config['effort']!r}"
    form = config.get("format")
    if form is not None and (form.get("type") != "json_schema" or not isinstance(form.get("schema"), dict)):
        yield "output_config.format: json_schema with a schema"
