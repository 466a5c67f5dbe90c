# SPDX-License-Identifier: Apache-2.0
"""What servers of chat completions ask for beyond the protocol, or refuse of it: a table for each."""

import re

from . import sources
from .chat_rules import calls_of, every_call
from .rule import rule, unknown
from .tool_rules import any_of_among_others, arrays_of_nothing, objects_of_nothing, types_beside_any_of, untyped

MISTRAL = []
LLAMA_CPP = []
OLLAMA = []
DEEPSEEK = []
KIMI = []
OPENROUTER = []
GEMINI = []
_OLLAMA_BODY = {"model", "messages", "max_tokens", "tools", "tool_choice", "stream", "stream_options", "response_format",
                "temperature", "top_p", "stop", "seed", "reasoning_effort", "reasoning", "frequency_penalty",
                "presence_penalty", "logprobs", "top_logprobs"}
_MISTRAL_BODY = {"model", "messages", "max_tokens", "tools", "tool_choice", "parallel_tool_calls", "response_format",
                 "stream", "temperature", "top_p", "stop", "random_seed", "safe_prompt", "n", "prompt_mode",
                 "reasoning_effort", "presence_penalty", "frequency_penalty", "metadata", "prediction"}
_MISTRAL_MEMBERS = {"system": {"role", "content"}, "user": {"role", "content"},
                    "assistant": {"role", "content", "tool_calls", "prefix"},
                    "tool": {"role", "content", "tool_call_id", "name"}}
_NINE = re.compile(r"[a-zA-Z0-9]{9}")
_AFTER = {"system": {"user", "assistant", "system"}, "user": {"assistant", "system", "user"},
          "assistant": {"assistant", "user", "tool"}, "tool": {"assistant", "tool"}}


@rule(MISTRAL, "ids of calls are nine letters and digits", sources.MISTRAL_VALIDATOR)
def _(request):
    given = [(place, call["id"]) for place, call in every_call(request)]
    given += [(f"messages[{i}]", message["tool_call_id"]) for i, message in enumerate(request.body["messages"])
              if message["role"] == "tool"]
    for place, one in given:
        if not _NINE.fullmatch(one):
            yield f"{place}: Tool call id was {one} but must be a-z, A-Z, 0-9, with a length of 9"


@rule(MISTRAL, "roles follow each other as they may", sources.MISTRAL_ORDER)
def _(request):
    messages = request.body["messages"]
    for i in range(1, len(messages)):
        before, role = messages[i - 1]["role"], messages[i]["role"]
        if role not in _AFTER[before]:
            yield f"messages[{i}]: Unexpected role '{role}' after role '{before}'"


@rule(MISTRAL, "the last message is a user's or a tool's", sources.MISTRAL_VALIDATOR)
def _(request):
    role = request.body["messages"][-1]["role"]
    if role not in ("user", "tool"):
        yield f"Expected last role User or Tool for serving but got {role}"


@rule(MISTRAL, "an assistant says something or calls", sources.MISTRAL_VALIDATOR)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        if message["role"] == "assistant" and not message.get("content") and not calls_of(message):
            yield f"messages[{i}]: Assistant message must have either content or tool_calls"


@rule(MISTRAL, "members of messages", sources.MISTRAL_EXTRA)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        yield from unknown(message, _MISTRAL_MEMBERS[message["role"]], f"messages[{i}]")
    for place, call in every_call(request):
        yield from unknown(call, {"id", "type", "index", "function"}, place)


@rule(MISTRAL, "members of the request", sources.MISTRAL_TOKENS)
def _(request):
    yield from unknown(request.body, _MISTRAL_BODY, "body")


@rule(LLAMA_CPP, "no thinking beside both text and calls", sources.LLAMA_THINKING)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        if calls_of(message) and message.get("content") and message.get("reasoning_content"):
            yield f"messages[{i}]: Cannot pass both content and thinking in an assistant message with tool calls"


@rule(OLLAMA, "only what it reads is asked for", sources.OLLAMA_FIELDS)
def _(request):
    yield from unknown(request.body, _OLLAMA_BODY, "body")


def _changed(request, member):
    """Where a message with calls doesn't bring `member` back as it was given."""
    for i, message in enumerate(request.body["messages"]):
        for call in calls_of(message):
            given = request.said.get(call["id"], {})
            if member in given and message.get(member) != given[member]:
                yield f"messages[{i}].{member}: {message.get(member)!r}, given was {given[member]!r}"


@rule(DEEPSEEK, "reasoning_content of replies with calls goes back", sources.DEEPSEEK_THINKING)
def _(request):
    yield from _changed(request, "reasoning_content")


@rule(KIMI, "ids of calls go back as they were given", sources.KIMI_IDS)
def _(request):
    for place, call in every_call(request):
        if call["id"] not in request.said:
            yield f"{place}.id: {call['id']!r}, given were {list(request.said)}"


@rule(OPENROUTER, "reasoning_details go back as they came", sources.OPENROUTER_REASONING)
def _(request):
    yield from _changed(request, "reasoning_details")


@rule(GEMINI, "calls bring their thought_signature back", sources.GEMINI_SIGNATURES)
def _(request):
    for place, call in every_call(request):
        given = {one["id"]: one.get("extra_content") for one in calls_of(request.said.get(call["id"], {}))}
        if call.get("extra_content") != given.get(call["id"]):
            yield f"{place}: Function call is missing a thought_signature in functionCall parts"


def _of_tools(request, *checks):
    """What each check finds in the schemas of the tools."""
    for i, tool in enumerate(request.body.get("tools", [])):
        for check in checks:
            yield from check(tool["function"].get("parameters"), f"tools[{i}]")


@rule(GEMINI, "tools: anyOf stands alone", sources.GEMINI_SCHEMA)
def _(request):
    yield from _of_tools(request, any_of_among_others)


@rule(GEMINI, "tools: objects have properties, arrays say of what", sources.GEMINI_SCHEMA)
def _(request):
    yield from _of_tools(request, objects_of_nothing, arrays_of_nothing)


@rule(KIMI, "tools: a type each, with anyOf in its items", sources.KIMI_SCHEMA)
def _(request):
    yield from _of_tools(request, types_beside_any_of, untyped)
