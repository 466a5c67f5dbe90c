# SPDX-License-Identifier: Apache-2.0
"""Whether every stored history is valid: each tool call answered once, in order, before the next reply."""

import itertools

_MESSAGES = "SELECT conversation, job, round, step, idx, message FROM messages" \
            " ORDER BY conversation, job, round, step, idx"


def _calls(message):
    data = message["data"]
    return [call["id"] for call in data.get("tool_calls", []) + data.get("invalid_tool_calls", [])]


def _problem(messages):
    """What is wrong with the messages of one round, or None."""
    kinds = [message["type"] for message in messages]
    if kinds[0] != "human" or kinds[-1] != "ai" or _calls(messages[-1]):
        return f"it goes from {kinds[0]} to {kinds[-1]}"
    open_calls = []
    for message in messages[1:]:
        if message["type"] == "tool":
            if not open_calls or open_calls.pop(0) != message["data"]["tool_call_id"]:
                return f"an answer to {message['data']['tool_call_id']} that is not due"
        elif message["type"] == "ai":
            if open_calls:
                return f"a reply before {open_calls} are answered"
            open_calls = _calls(message)
        else:
            return f"a {message['type']} message in the middle"
    return None


def invalid_histories(installation):
    """A line for each round that is not valid. All jobs have ended."""
    found = []
    rows = installation.database.rows(_MESSAGES)
    for key, group in itertools.groupby(rows, lambda row: (row["conversation"], row["job"], row["round"])):
        problem = _problem([row["message"] for row in group])
        if problem:
            found.append(f"conversation {key[0]}, job {key[1]}, round {key[2]}: {problem}")
    return found
