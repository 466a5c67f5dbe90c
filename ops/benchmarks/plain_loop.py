# SPDX-License-Identifier: Apache-2.0
"""A plain ReAct loop, as it is written in an afternoon: the whole history with every call, results as indented JSON, no
cache marks, nothing shared or made shorter. It knows one tool, query_database, and runs it with psql."""

import json
import urllib.request

from rig.database import DatabaseError, psql

OBSERVATION_BYTES_MAX = 262144  # what is longer is cut there
_STEPS_MAX = 20
_SECONDS = 60


def rows_of(url, sql):
    text = psql(url, f"SELECT json_agg(r) FROM ({sql}) r")
    return (json.loads(text) if text.strip() else None) or []


def head_of(request):
    """What another's request says beside the conversation, without its cache marks."""
    def unmarked(block):
        return {name: value for name, value in block.items() if name != "cache_control"}
    kept = {name: request[name] for name in ("model", "max_tokens") if name in request}
    return {**kept, "system": [unmarked(block) for block in request["system"]],
            "tools": [unmarked(tool) for tool in request["tools"]]}


class PlainLoop:
    def __init__(self, model_url, analytics_url, head):
        self._model_url = model_url
        self._analytics_url = analytics_url
        self._head = head
        self._ran = 0

    def answers(self, job):
        """One for each message of the job."""
        history = []
        return [self._round(history, text) for text in job["messages"]]

    def take_count(self):
        """Of statements run since the last time."""
        count, self._ran = self._ran, 0
        return count

    def _round(self, history, text):
        history.append({"role": "user", "content": text})
        for _ in range(_STEPS_MAX):
            content = self._ask(history)
            history.append({"role": "assistant", "content": content})
            calls = [block for block in content if block["type"] == "tool_use"]
            if not calls:
                return "".join(block["text"] for block in content if block["type"] == "text")
            history.append({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call["id"], "content": self._observation(call)} for call in calls]})
        raise AssertionError(f"no answer after {_STEPS_MAX} steps: {text}")

    def _ask(self, history):
        request = urllib.request.Request(
            f"{self._model_url}/v1/messages", json.dumps({**self._head, "messages": history}).encode(),
            {"Content-Type": "application/json", "anthropic-version": "2023-06-01"})
        with urllib.request.urlopen(request, timeout=_SECONDS) as reply:
            return json.load(reply)["content"]

    def _observation(self, call):
        if call["name"] != "query_database":
            return f"Error: there is no tool {call['name']}"
        self._ran += 1
        try:
            text = json.dumps(rows_of(self._analytics_url, call["input"]["sql"]), indent=2, ensure_ascii=False)
        except DatabaseError as error:
            return f"Error: {error}"
        return text.encode()[:OBSERVATION_BYTES_MAX].decode(errors="ignore")
