# SPDX-License-Identifier: Apache-2.0
"""Replies as OpenAI's Responses have them, whole and as events."""

import json

from . import seal

PATH = "/v1/responses"
_INCOMPLETE = {"cut": "max_output_tokens", "refused": "content_filter"}


def human_texts(body):
    for item in body["input"]:
        if item.get("type", "message") == "message" and item["role"] == "user":
            if isinstance(item["content"], str):
                yield item["content"]
            else:
                yield from (part["text"] for part in item["content"])


def error_body(status, kind, message):
    kind = kind or ("server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _output(say, place):
    output = []
    done = "incomplete" if say.stop in _INCOMPLETE else "completed"
    if say.thinking is not None:
        summary = [{"type": "summary_text", "text": say.thinking}] if say.thinking else []
        output.append({"type": "reasoning", "id": f"rs_{place}", "summary": summary,
                       "encrypted_content": seal.encrypted(f"rs_{place}", summary)})
    if say.text or say.empty_text:
        part = {"type": "output_text", "text": say.text, "annotations": []}
        if say.stop == "declined":
            part = {"type": "refusal", "refusal": say.text}
        output.append({"type": "message", "id": f"msg_{place}", "role": "assistant", "status": done, "content": [part]})
    for i, call in enumerate(say.calls):
        arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        output.append({"type": "function_call", "id": f"fc_{place}_{i}", "call_id": f"call_{place}_{i}",
                       "name": call.name, "arguments": arguments, "status": done})
    return output


def _usage(usage):
    prompt = usage.input + usage.cached + usage.written
    return {"input_tokens": prompt, "output_tokens": usage.output, "total_tokens": prompt + usage.output,
            "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.written},
            "output_tokens_details": {"reasoning_tokens": usage.thinking}}


def whole(say, usage, place, body):
    known = say.stop in ("end", "calls", "declined")
    reason = None if known else {"reason": _INCOMPLETE.get(say.stop, say.stop)}
    response = {"id": f"resp_{place}", "object": "response", "status": "completed" if known else "incomplete",
                "incomplete_details": reason, "model": body["model"], "error": None, "output": _output(say, place),
                "usage": _usage(usage)}
    if say.error:
        response |= {"status": "failed", "error": {"code": say.error[0], "message": say.error[1]}}
    return response


def said(response):
    return {item[key]: response["output"] for item in response["output"] for key in ("id", "call_id") if key in item}


def _item_events(index, item):
    yield {"type": "response.output_item.added", "output_index": index,
           "item": item | {"message": {"content": []}, "function_call": {"arguments": ""}}.get(item["type"], {})}
    if item["type"] == "function_call":
        middle = len(item["arguments"]) // 2
        for piece in (item["arguments"][:middle], item["arguments"][middle:]):
            yield {"type": "response.function_call_arguments.delta", "output_index": index, "item_id": item["id"],
                   "delta": piece}
    elif item["type"] == "message":
        for part in item["content"]:
            name = "refusal" if part["type"] == "refusal" else "text"
            yield {"type": f"response.{part['type']}.delta", "output_index": index, "item_id": item["id"],
                   "content_index": 0, "delta": part[name]}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def events(say, usage, place, body):
    return stream(whole(say, usage, place, body))


def stream(response):
    """The events of a whole reply."""
    begun = response | {"status": "in_progress", "output": [], "usage": None, "incomplete_details": None, "error": None}
    found = [{"type": "response.created", "response": begun}, {"type": "response.in_progress", "response": begun}]
    for index, item in enumerate(response["output"]):
        found += _item_events(index, item)
    found.append({"type": f"response.{response['status']}", "response": response})
    return [(event["type"], event | {"sequence_number": n}) for n, event in enumerate(found)]
