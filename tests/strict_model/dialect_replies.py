# SPDX-License-Identifier: Apache-2.0
"""Replies as single servers write them, byte by byte where that matters."""

import json

from .reply import Raw, Usage

_USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
_COUNTS = Usage(100, 20)
_TEXT = ("It is ", "42.")
_SQL = {"sql": "SELECT 42 AS n"}


def _whole(message, finish="stop", usage=_USAGE, **more):
    reply = {"id": "cmpl-1", "object": "chat.completion", "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": finish}]}
    return reply | ({"usage": usage} if usage is not None else {}) | more


def _chunk(delta, finish=None, **more):
    return {"id": "cmpl-1", "object": "chat.completion.chunk", "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} | more


def _text_chunks(finish=None):
    return [_chunk({"role": "assistant", "content": _TEXT[0]}, finish), _chunk({"content": _TEXT[1]}, finish)]


def _answer(events, usage=_COUNTS, **more):
    return Raw(_whole({"content": "".join(_TEXT)}), tuple(events), usage, **more)


def end_in_silence():
    return _answer([*_text_chunks(), _chunk({}, None, usage=_USAGE), "[DONE]"])


def empty_end():
    events = [*_text_chunks(""), _chunk({}, "stop"), _chunk({}, "", usage=_USAGE), "[DONE]"]
    return Raw(_whole({"content": "It is 42."}, ""), tuple(events), _COUNTS)


def without_done():
    return _answer([*_text_chunks(), _chunk({}, "stop", usage=_USAGE)])


def labelled(label):
    return _answer([*_text_chunks(), _chunk({}, "stop", usage=_USAGE), "[DONE]"], label=label)


def whole_as_stream():
    """Without `data:`, as a server that can't stream answers."""
    return Raw({}, (), _COUNTS, label="application/json", bare=json.dumps(_whole({"content": "It is 42."})))


def empty_data():
    first, second = _text_chunks()
    return _answer([first, "", second, "", _chunk({}, "stop", usage=_USAGE), "[DONE]"])


def empty_error(error):
    return Raw(_whole({"content": "It is 42."}, error=error), (), _COUNTS)


def with_usage(usage, counts):
    last = {"usage": usage} if usage is not None else {}
    return Raw(_whole({"content": "It is 42."}, usage=usage),
               (*_text_chunks(), _chunk({}, "stop", **last), "[DONE]"), counts)


def content_in_parts():
    """As Mistral's models that reason write it."""
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Forty and two."}]}
    text = {"type": "text", "text": "It is 42."}
    events = (_chunk({"role": "assistant", "content": [thinking]}), _chunk({"content": [text]}),
              _chunk({}, "stop", usage=_USAGE), "[DONE]")
    return Raw(_whole({"content": [thinking, text]}), events, _COUNTS)


def _calls(message, events, **more):
    """`message` is what comes back of the reply."""
    return Raw(_whole(message, "tool_calls"), (*events, _chunk({}, "tool_calls", usage=_USAGE), "[DONE]"), _COUNTS,
               message=message, **more)


def _call(one, arguments=None, **more):
    return {"id": one, "type": "function", "function": {
        "name": "query_database", "arguments": json.dumps(_SQL) if arguments is None else arguments}} | more


def kimi_call(number):
    return call_with_id(f"functions.query_database:{number}")


def call_with_id(one):
    message = {"content": None, "tool_calls": [_call(one)]}
    return _calls(message, [_chunk({"role": "assistant", "tool_calls": [{"index": 0} | message["tool_calls"][0]]})])


def gemini_calls():
    """Only the first of parallel calls has a signature."""
    signed = _call("gem-1", extra_content={"google": {"thought_signature": "U0lHTkFUVVJF"}})
    plain = _call("gem-2", json.dumps({"sql": "SELECT 43 AS n"}))
    message = {"content": None, "tool_calls": [signed, plain]}
    return _calls(message, [_chunk({"role": "assistant", "tool_calls": [{"index": 0} | signed]}),
                            _chunk({"tool_calls": [{"index": 1} | plain]})])


def openrouter_call():
    """The details come in pieces, which are put together by their index."""
    form = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
    whole = form | {"text": "First I look at the table.", "signature": "U0lHLTE="}
    call = _call("toolu_1")
    message = {"content": None, "reasoning_details": [whole], "tool_calls": [call]}
    pieces = [form | {"text": "First I look"}, form | {"text": " at the table."}, form | {"signature": "U0lHLTE="}]
    return _calls(message, [*(_chunk({"reasoning_details": [piece]}) for piece in pieces),
                            _chunk({"tool_calls": [{"index": 0} | call]})])


def arguments_after_empty():
    message = {"content": None, "tool_calls": [_call("toolu_9")]}
    events = [_chunk({"role": "assistant", "tool_calls": [{"index": 0} | _call("toolu_9", "{}")]})]
    events += [_chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
               for piece in ('{"sql": ', '"SELECT 42 AS n"}')]
    return _calls(message, events)


def arguments_as_object():
    call = _call("call_1", _SQL)
    return Raw(_whole({"content": "", "tool_calls": [call]}, "tool_calls"),
               (_chunk({"role": "assistant", "tool_calls": [{"index": 0} | call]}),
                _chunk({}, "tool_calls", usage=_USAGE), "[DONE]"), _COUNTS)


def one_number():
    calls = [_call("call_1"), _call("call_2", json.dumps({"sql": "SELECT 43 AS n"}))]
    return _calls({"content": None, "tool_calls": calls},
                  [_chunk({"tool_calls": [{"index": 0} | call]}) for call in calls])


def anthropic_later_zero():
    block = {"type": "text", "text": ""}
    message = {"id": "m1", "role": "assistant", "model": "m", "content": [],
               "usage": {"input_tokens": 1000, "output_tokens": 1}}
    events = ({"type": "message_start", "message": message},
              {"type": "content_block_start", "index": 0, "content_block": block},
              {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "It is 42."}},
              {"type": "content_block_stop", "index": 0},
              {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
               "usage": {"input_tokens": 0, "output_tokens": 5}}, {"type": "message_stop"})
    return Raw({}, events, Usage(1000, 5))


def responses_without_output():
    """The call stands in no list of what was said: neither as a finished item nor in the last event."""
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "query_database", "arguments": "",
            "status": "in_progress"}
    arguments = json.dumps(_SQL)
    usage = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
    events = ({"type": "response.created", "response": {"id": "r1", "status": "in_progress"}},
              {"type": "response.output_item.added", "output_index": 0, "item": item},
              {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc_1", "delta": arguments},
              {"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "fc_1",
               "arguments": arguments},
              {"type": "response.completed", "response": {"id": "r1", "status": "completed", "model": "m", "output": [],
                                                          "usage": usage}})
    return Raw({}, events, _COUNTS)
