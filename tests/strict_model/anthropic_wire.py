# SPDX-License-Identifier: Apache-2.0
"""Replies as Anthropic's Messages have them, whole and as events."""

import json

from . import seal

PATH = "/v1/messages"
_STOPS = {"end": "end_turn", "calls": "tool_use", "cut": "max_tokens", "refused": "refusal", "paused": "pause_turn"}
_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 500: "api_error",
           503: "api_error", 529: "overloaded_error"}


def human_texts(body):
    """What users said, the oldest first."""
    for message in body["messages"]:
        if message["role"] == "user":
            for block in [message["content"]] if isinstance(message["content"], str) else message["content"]:
                if isinstance(block, str):
                    yield block
                elif block["type"] == "text":
                    yield block["text"]


def error_body(status, kind, message):
    return {"type": "error", "error": {"type": kind or _ERRORS.get(status, "api_error"), "message": message},
            "request_id": "req_strict"}


def _blocks(say, place, body):
    blocks = []
    if say.thinking is not None:
        given = seal.signature(say.thinking, seal.prefix(body, len(body["messages"])))
        blocks.append({"type": "thinking", "thinking": say.thinking, "signature": given})
    if say.redacted:
        blocks.append({"type": "redacted_thinking", "data": f"sealed-{place}"})
    if say.text or say.empty_text:
        blocks.append({"type": "text", "text": say.text})
    for i, call in enumerate(say.calls):
        blocks.append({"type": "tool_use", "id": f"toolu_{place}_{i}", "name": call.name, "input": call.arguments})
    return blocks


def _usage(usage):
    return {"input_tokens": usage.input, "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": usage.written, "output_tokens": usage.output,
            "output_tokens_details": {"thinking_tokens": usage.thinking}}


def whole(say, usage, place, body):
    stop = _STOPS.get(say.stop, say.stop)
    return {"id": f"msg_{place}", "type": "message", "role": "assistant", "model": body["model"],
            "content": _blocks(say, place, body), "stop_reason": stop, "stop_sequence": None, "usage": _usage(usage)}


def said(message):
    """The reply by each id in it."""
    return {block["id"]: message["content"] for block in message["content"] if block["type"] == "tool_use"}


def _pieces(text):
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def _block_events(index, block):
    empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}
    deltas = []
    if block["type"] == "text":
        deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
    elif block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    elif block["type"] == "tool_use":
        given = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *_pieces(given)]]
    yield {"type": "content_block_start", "index": index, "content_block": block | empty.get(block["type"], {})}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def events(say, usage, place, body):
    """(name, data) of each."""
    return stream(whole(say, usage, place, body), say.error)


def stream(message, error=()):
    """The events of a whole reply, which may break off with an error."""
    begun = message | {"content": [], "stop_reason": None, "usage": message["usage"] | {"output_tokens": 1}}
    found = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    for index, block in enumerate(message["content"]):
        found += _block_events(index, block)
    if error:
        found.append({"type": "error", "error": {"type": error[0], "message": error[1]}})
    else:
        found.append({"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
                      "usage": {"output_tokens": message["usage"]["output_tokens"]}})
        found.append({"type": "message_stop"})
    return [(event["type"], event) for event in found]
