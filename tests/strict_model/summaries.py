# SPDX-License-Identifier: Apache-2.0
"""A model that writes summaries of what the plays' models no longer see, and the scenarios in which it is asked to."""

import json
import threading

from . import anthropic_rules, anthropic_wire
from .basic import OUTGROWN as SCENARIOS
from .events import sse
from .reply import Say, Usage
from .rule import Request, violations

NAME = "summaries"
USAGE = Usage(5000, 40)  # of each; those that were lost on the way are in no job's bill


def settings(url):
    """Of the configuration: what makes all jobs use it."""
    provider = {"protocol": "anthropic", "base_url": f"{url}/{NAME}/v1", "api_key": "strict-key-of-a-test"}
    model = {"provider": NAME, "model_id": NAME, "context_window": 30000, "max_output_tokens": 500}
    return {"llm": {"providers": {NAME: provider}, "models": {NAME: model}},
            "context": {"mode": "summarize", "summary": {"model": NAME, "max_input_tokens": 10000},
                        "max_compression_cost_per_hour": 1000}}


class Writer:
    """Stands beside the stages of a server. A summary is billed to the play whose questions it covers."""

    def __init__(self, stages):
        self._stages = stages
        self._lock = threading.Lock()
        self._wrong = []
        self._written = 0

    def complaints(self):
        return self._wrong or ([] if self._written else [f"{NAME}: nobody asked for one"])

    def answer(self, _path, headers, body):
        """As a stage's."""
        with self._lock:
            request = json.loads(body)
            self._wrong += [f"{NAME}: {one}" for one in violations(anthropic_rules.RULES, Request(request, headers))]
            text = "\n".join(anthropic_wire.human_texts(request))
            covered = [stage for name, stage in self._stages.items() if f"({name})" in text]
            if len(covered) != 1:
                self._wrong.append(f"{NAME}: of {len(covered)} plays at once: {text[:500]}")
                return 400, {}, json.dumps(anthropic_wire.error_body(400, "", "whose?")).encode(), True
            covered[0].account.summaries += 1
            self._written += 1
            events = anthropic_wire.events(Say("a summary of it all", stop="end"), USAGE, "summary", request)
            return 200, {"content-type": "text/event-stream"}, sse(events), True
