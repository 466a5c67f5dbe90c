# SPDX-License-Identifier: Apache-2.0
"""Replies as chat completions have them, whole and as chunks."""

import hashlib
import json

PATH = "/v1/chat/completions"
_STOPS = {"end": "stop", "calls": "tool_calls", "cut": "length", "refused": "content_filter", "declined": "stop"}


def human_texts(body):
    for message in body["messages"]:
        # What a server takes no message for may stand behind a tool's words.
        if message["role"] in ("user", "tool") and isinstance(message.get("content"), str):
            yield message["content"]


def error_body(status, kind, message):
    kind = kind or ("server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def call_id(place, index):
    """Nine letters and digits: all servers take such."""
    return hashlib.sha256(f"{place} {index}".encode()).hexdigest()[:9]


def _message(say, place):
    message = {"role": "assistant", "content": say.text or (None if say.calls else "")}
    if say.thinking is not None:
        message["reasoning_content"] = say.thinking
    if say.calls:
        message["tool_calls"] = [{"id": call_id(place, i), "type": "function", "function": {
            "name": call.name, "arguments": _text(call.arguments)}} for i, call in enumerate(say.calls)]
    if say.stop == "declined":
        message |= {"content": None, "refusal": say.text}
    return message


def _text(arguments):
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def usage_of(usage):
    prompt = usage.input + usage.cached + usage.written
    return {"prompt_tokens": prompt, "completion_tokens": usage.output, "total_tokens": prompt + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.written},
            "completion_tokens_details": {"reasoning_tokens": usage.thinking}}


def whole(say, usage, place, body):
    return {"id": f"chatcmpl-{place}", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "message": _message(say, place), "logprobs": None,
                         "finish_reason": _STOPS.get(say.stop, say.stop)}], "usage": usage_of(usage)}


def said(reply):
    message = reply["choices"][0]["message"]
    return {call["id"]: message for call in message.get("tool_calls") or []}


def _deltas(message):
    yield {"role": "assistant", "content": None if message.get("tool_calls") else ""}
    for key in ("reasoning_content", "content", "refusal"):
        text = message.get(key) or ""
        if key == "reasoning_content" and message.get(key) == "":
            yield {key: ""}
        for piece in (text[:len(text) // 2], text[len(text) // 2:]):
            if piece:
                yield {key: piece}
    for key, value in message.items():
        if key not in ("role", "reasoning_content", "content", "refusal", "tool_calls"):
            yield {key: value}
    for index, call in enumerate(message.get("tool_calls") or []):
        arguments = call["function"]["arguments"]
        middle = len(arguments) // 2
        yield {"tool_calls": [call | {"index": index, "function": {"name": call["function"]["name"], "arguments": ""}}]}
        for piece in (arguments[:middle], arguments[middle:]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def events(say, usage, place, body):
    return stream(whole(say, usage, place, body), say.error)


def stream(reply, error=()):
    """The chunks of a whole reply, which may break off with an error."""
    base = {"id": reply["id"], "object": "chat.completion.chunk", "created": 1, "model": reply["model"]}
    choice = reply["choices"][0]
    chunks = [base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
              for delta in _deltas(choice["message"])]
    if error:
        return [("", chunk) for chunk in chunks] + [("", {"error": {"message": error[1], "type": error[0],
                                                                    "code": None, "param": None}})]
    chunks.append(base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    # Asked for by stream_options; a server that knows no such thing says it anyway.
    chunks.append(base | {"choices": [], "usage": reply["usage"]})
    return [("", chunk) for chunk in chunks] + [("", "[DONE]")]
