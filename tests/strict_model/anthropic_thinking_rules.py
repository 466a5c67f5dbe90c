# SPDX-License-Identifier: Apache-2.0
"""Anthropic's Messages: thinking goes back as it came, where it came, in front of what it led to."""

from . import seal, sources
from .anthropic_rules import blocks_of, every_block
from .rule import rule

RULES = []
_THINKING = ("thinking", "redacted_thinking")


def _mode(request):
    """enabled: a model that must be told to think; adaptive: one that decides, and binds what it thinks."""
    return request.body.get("thinking", {}).get("type")


def _loop_start(messages):
    """Index of the first message of the tool loop that goes on: behind the last words of a user."""
    start = 0
    for i, message in enumerate(messages):
        kinds = {block["type"] for block in blocks_of(message)}
        if message["role"] == "user" and "tool_result" not in kinds:
            start = i + 1
    return start


@rule(RULES, "the budget of thinking is 1024 or more, and below max_tokens", sources.ANTHROPIC_THINKING_BUDGET)
def _(request):
    thinking = request.body.get("thinking", {})
    if thinking.get("type") == "enabled":
        budget = thinking.get("budget_tokens", 0)
        if not 1024 <= budget < request.body["max_tokens"]:
            yield f"thinking.enabled.budget_tokens: {budget}"
    elif "budget_tokens" in thinking:
        yield "thinking.budget_tokens: Extra inputs are not permitted"


@rule(RULES, "thinking has the signature that it was given", sources.ANTHROPIC_CHANGED)
def _(request):
    for place, _role, block in every_block(request):
        if block["type"] == "thinking" and not seal.of_text(block["signature"], block["thinking"]):
            yield f"{place}: Invalid `signature` in `thinking` block"


@rule(RULES, "all before thinking is as it was when the model thought it", sources.ANTHROPIC_BINDING)
def _(request):
    if _mode(request) != "adaptive":
        return
    for i, message in enumerate(request.body["messages"]):
        for block in blocks_of(message):
            if block["type"] != "thinking":
                continue
            if not seal.of_prefix(block["signature"], seal.prefix(request.body, i)):
                yield (f"messages.{i}: Invalid `signature` in `thinking` block. "
                       "The block is bound to a different conversation")


@rule(RULES, "no message ends with thinking", sources.ANTHROPIC_ENDS_THINKING)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        blocks = blocks_of(message)
        if blocks and blocks[-1]["type"] in _THINKING:
            yield f"messages.{i}: The final block in an assistant message cannot be `thinking`"


@rule(RULES, "a message with thinking begins with it", sources.ANTHROPIC_FIRST_THINKING)
def _(request):
    for i, message in enumerate(request.body["messages"]):
        kinds = [block["type"] for block in blocks_of(message)]
        if set(kinds) & set(_THINKING) and kinds[0] not in _THINKING:
            yield f"messages.{i}.content.0: the first block must be thinking. Found {kinds[0]}"


@rule(RULES, "the turn that goes on begins with its thinking", sources.ANTHROPIC_BEGINS_THINKING)
def _(request):
    """Where the model thought at all."""
    messages = request.body["messages"]
    first = next((m for m in messages[_loop_start(messages):] if m["role"] == "assistant"), None)
    if _mode(request) != "enabled" or first is None:
        return
    kinds = [block["type"] for block in blocks_of(first)]
    called = [block["id"] for block in blocks_of(first) if block["type"] == "tool_use"]
    thought = any(block["type"] in _THINKING for one in called for block in request.said.get(one, []))
    if thought and kinds[0] not in _THINKING:
        yield f"Expected `thinking` or `redacted_thinking`, but found `{kinds[0]}`"


@rule(RULES, "in the turn that goes on no thinking is left out, added or moved", sources.ANTHROPIC_THINKING)
def _(request):
    """A model that decides for itself whether to think takes a message without any. Of calls that another one made
    nobody here knows what was thought."""
    messages = request.body["messages"]
    for message in messages[_loop_start(messages):]:
        blocks = blocks_of(message)
        for one in (block["id"] for block in blocks if block["type"] == "tool_use"):
            if one not in request.said:
                continue
            given = [block for block in request.said[one] if block["type"] in _THINKING]
            sent = [block for block in blocks if block["type"] in _THINKING]
            if sent != given and (sent or _mode(request) == "enabled"):
                yield f"the reply with call {one} had {len(given)} blocks of thinking, back come {len(sent)} or others"
