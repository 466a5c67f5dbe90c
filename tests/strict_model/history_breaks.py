# SPDX-License-Identifier: Apache-2.0
"""Ways to break a good request, as a fault of ours might: each changes a body and says whether there was anything to change.
Somebody must find each of them, or the generated histories prove nothing."""


def protocol_of(request):
    if "input" in request.body:
        return "openai_responses"
    return "anthropic" if "anthropic-version" in request.headers else "openai_chat"


def _drop_first(items, wanted):
    for i, item in enumerate(items):
        if wanted(item):
            del items[i]
            return True
    return False


def _type(kind):
    return lambda part: part.get("type") == kind


def _blocks(body, kind):
    """(blocks of a message, index)"""
    return [(message["content"], i) for message in body["messages"] if isinstance(message["content"], list)
            for i, block in enumerate(message["content"]) if block["type"] == kind]


def _of_block(kind, change):
    def changed(body):
        found = _blocks(body, kind)
        if found:
            change(*found[0])
        return bool(found)
    return changed


def _set(key, value):
    return lambda blocks, i: blocks[i].__setitem__(key, value)


def _text_first(body):
    for message in body["messages"]:
        kinds = [block["type"] for block in message["content"]]
        if kinds[0] == "tool_result":
            message["content"].insert(0, {"type": "text", "text": "Before."})
            return True
    return False


def _two_at_once(body):
    body["messages"].append({"role": "user", "content": [{"type": "text", "text": "More."}]})
    return body["messages"][-2]["role"] == "user"


def _many_marks(body):
    for message in body["messages"][:5]:
        message["content"][0]["cache_control"] = {"type": "ephemeral"}
    return len(body["messages"]) >= 5 and all(m["content"][0]["type"] != "thinking" for m in body["messages"][:5])


def _thinking_last(body):
    body["messages"].append({"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": ""}]})
    return True


def _of_chat(role, change):
    def changed(body):
        found = [i for i, message in enumerate(body["messages"]) if message["role"] == role]
        if found:
            change(body["messages"], found[-1])
        return bool(found)
    return changed


def _of_call(change):
    def changed(body):
        for message in body["messages"]:
            if message.get("tool_calls"):
                change(message["tool_calls"])
                return True
        return False
    return changed


def _user_before_result(messages, i):
    messages.insert(i, {"role": "user", "content": "Wait."})


def _of_item(kind, change):
    def changed(body):
        found = [i for i, item in enumerate(body["input"]) if item.get("type", "message") == kind]
        if found:
            change(body["input"], found[0])
        return bool(found)
    return changed


def _delete(items, i):
    del items[i]


def _again(items, i):
    items.insert(i, dict(items[i]))


def _to_the_end(items, i):
    items.append(items.pop(i))


BREAKS = {
    "anthropic": {
        "a result is missing": _of_block("tool_result", _delete),
        "a result is there twice": _of_block("tool_result", _again),
        "a result is another call's": _of_block("tool_result", _set("tool_use_id", "t9")),
        "a text is empty": _of_block("text", _set("text", "")),
        "a text is blank": _of_block("text", _set("text", " \n")),
        "a call is missing": _of_block("tool_use", _delete),
        "an id is no word": _of_block("tool_use", _set("id", "a b")),
        "an input is a text": _of_block("tool_use", _set("input", "{}")),
        "thinking is another": _of_block("thinking", _set("thinking", "Oh.")),
        "thinking stands behind": _of_block("thinking", _to_the_end),
        "thinking stands alone": _thinking_last,
        "a text stands before results": _text_first,
        "two messages of a user": _two_at_once,
        "the assistant begins": lambda body: body["messages"].pop(0) is not None,
        "five marks": _many_marks,
    },
    "openai_chat": {
        "a result is missing": _of_chat("tool", _delete),
        "a result is there twice": _of_chat("tool", _again),
        "a result is another call's": _of_chat("tool", lambda m, i: m[i].update(tool_call_id="c9")),
        "somebody speaks before a result": _of_chat("tool", _user_before_result),
        "a user says nothing": _of_chat("user", lambda m, i: m[i].update(content="")),
        "a call is missing": _of_call(lambda calls: calls.clear()),
        "arguments are no object": _of_call(lambda calls: calls[0]["function"].update(arguments="[]")),
        "arguments are cut": _of_call(lambda calls: calls[0]["function"].update(arguments="{")),
        "a name is none": _of_call(lambda calls: calls[0]["function"].update(name="a b")),
        "an id is changed": _of_call(lambda calls: calls[0].update(id="c9")),
        "content is null": _of_chat("user", lambda m, i: m[i].update(content=None)),
    },
    "openai_responses": {
        "an output is missing": _of_item("function_call_output", _delete),
        "an output is there twice": _of_item("function_call_output", _again),
        "an output stands before its call": _of_item("function_call_output", lambda items, i: items.insert(0, items.pop(i))),
        "a call is missing": _of_item("function_call", _delete),
        "an id is too long": _of_item("function_call", lambda items, i: items[i].update(call_id="x" * 65)),
        "arguments are no object": _of_item("function_call", lambda items, i: items[i].update(arguments="5")),
        "reasoning leads to nothing": _of_item("reasoning", _to_the_end),
        "reasoning is another": _of_item("reasoning", lambda items, i: items[i].update(encrypted_content="x")),
        "reasoning has no content": _of_item("reasoning", lambda items, i: items[i].update(encrypted_content=None)),
        "an item is of another kind": _of_item("message", lambda items, i: items[i].update(type="text")),
    },
}
