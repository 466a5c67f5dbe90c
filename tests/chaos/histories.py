# SPDX-License-Identifier: Apache-2.0
"""Whether every stored history is valid: each tool call answered once, in order, before the next reply; and made by
one job after the other."""

import itertools

_MESSAGES = """
SELECT m.conversation, m.job, m.round, m.step, m.idx, m.message, r.status
FROM messages m JOIN rounds r ON r.job = m.job AND r.round = m.round
ORDER BY m.conversation, m.job, m.round, m.step, m.idx"""

_AT_ONCE = """
SELECT j.tenant, j.job_id, f.job_id AS earlier FROM jobs j
  JOIN jobs f ON f.conversation = j.conversation AND f.id < j.id AND f.parent IS NULL
WHERE j.parent IS NULL AND (SELECT min(r.opened_at) FROM rounds r WHERE r.job = j.id) < f.finished_at"""


def _calls(message):
    data = message["data"]
    return [call["id"] for call in data.get("tool_calls", []) + data.get("invalid_tool_calls", [])]


def _added(message):
    """Whether neither the user nor the model said it: what a skill brought, and what reminds of the task."""
    return not {"skill", "isMeta"}.isdisjoint(message["data"].get("additional_kwargs", {}))


def problem_of(messages, completed):
    """What is wrong with the messages of one round, or None. One that was given up may end anywhere with
    nothing open."""
    kinds = [message["type"] for message in messages]
    if kinds[0] != "human" or completed and (kinds[-1] != "ai" or _calls(messages[-1])):
        return f"it goes from {kinds[0]} to {kinds[-1]}"
    open_calls = []
    for message in messages[1:]:
        if _added(message):
            if open_calls:
                return f"something was added before {open_calls} are answered"
        elif message["type"] == "tool":
            if not open_calls or open_calls.pop(0) != message["data"]["tool_call_id"]:
                return f"an answer to {message['data']['tool_call_id']} that is not due"
        elif message["type"] == "ai":
            if open_calls:
                return f"a reply before {open_calls} are answered"
            open_calls = _calls(message)
        else:
            return f"a {message['type']} message in the middle"
    return f"it ends before {open_calls} are answered" if open_calls else None


def invalid_histories(installation):
    """A line for each round that is not valid. All jobs have ended."""
    found = []
    rows = installation.database.rows(_MESSAGES)
    for key, group in itertools.groupby(rows, lambda row: (row["conversation"], row["job"], row["round"])):
        group = list(group)
        problem = problem_of([row["message"] for row in group], group[0]["status"] == "completed")
        if problem:
            found.append(f"conversation {key[0]}, job {key[1]}, round {key[2]}: {problem}")
    return found


def jobs_at_once(installation):
    """A line for each job whose first reply was stored before an earlier one of its conversation had ended."""
    return [f"{row['tenant']}/{row['job_id']} was answered before {row['earlier']} of its conversation had ended"
            for row in installation.database.rows(_AT_ONCE)]
