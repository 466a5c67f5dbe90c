# SPDX-License-Identifier: Apache-2.0
"""A scenario: jobs, what a model does with them, and what must come of it. A play is one of them in one protocol."""

import dataclasses
import re

from .reply import Usage

PROTOCOLS = ("anthropic", "openai_chat", "openai_responses")
STREAMED, WHOLE = "streamed", "whole"


@dataclasses.dataclass(frozen=True)
class Round:
    """A question, the model's replies to it in order, and the answer that must be published; None: there is none."""

    question: str
    replies: tuple
    answer: str | None = None
    aside: bool = False  # a sub-agent is asked, not the job


@dataclasses.dataclass(frozen=True)
class Job:
    rounds: tuple
    outcome: str = "completed"
    code: str = ""  # of the error, where there is one
    fields: dict = dataclasses.field(default_factory=dict)  # further ones of the job


@dataclasses.dataclass(frozen=True)
class Scenario:
    """`jobs` are of one conversation; with `moves` each asks a provider of the next protocol. `rules` are a dialect's,
    beside the protocol's; `lenient`: the server takes what its protocol's owner doesn't know."""

    name: str
    jobs: tuple
    protocols: tuple = PROTOCOLS
    ways: tuple = (STREAMED, WHOLE)
    provider: dict = dataclasses.field(default_factory=dict)
    model: dict = dataclasses.field(default_factory=dict)
    rules: tuple = ()
    lenient: bool = False
    moves: bool = False
    known_fault: str = ""  # why rules are broken or the outcome is another, for as long as that is so
    report: dict = dataclasses.field(default_factory=dict)  # least counts of the metrics reports together

    def plays(self):
        return [Play(self, protocol, way) for protocol in self.protocols for way in self.ways]


def one_job(name, replies, answer=None, *, outcome="completed", code="", fields=None, **more):
    """A scenario of a single question."""
    return Scenario(name, (Job((Round("What is it", tuple(replies), answer),), outcome, code, fields or {}),), **more)


@dataclasses.dataclass(frozen=True)
class Play:
    scenario: Scenario
    protocol: str
    way: str

    @property
    def name(self):
        words = re.sub(r"[^a-z0-9]+", "-", self.scenario.name.lower()).strip("-")
        return f"{words}.{self.protocol}.{self.way}"

    def question(self, one):
        """No two plays ask the same: paid calls are told apart by the question."""
        return f"{one.question} ({self.name})?"

    def filled(self, reply):
        """With what the scenario leaves open: the stop, and the asides' questions, which stand in braces."""
        asides = {"{" + one.question + "}": self.question(one) for one in self.rounds() if one.aside}
        calls = tuple(call if isinstance(call.arguments, str) else dataclasses.replace(call, arguments={
            key: asides.get(value, value) if isinstance(value, str) else value
            for key, value in call.arguments.items()}) for call in reply.calls)
        return dataclasses.replace(reply, calls=calls, stop=reply.stop or ("calls" if calls else "end"))

    def rounds(self):
        return [one for job in self.scenario.jobs for one in job.rounds]

    def protocol_of(self, job):
        """`job`: its place in the scenario."""
        step = job if self.scenario.moves else 0
        return PROTOCOLS[(PROTOCOLS.index(self.protocol) + step) % len(PROTOCOLS)]

    def _name_at(self, protocol):
        return self.name if protocol == self.protocol else f"{self.name}.then.{protocol}"

    def _protocols(self):
        return {self.protocol_of(job) for job in range(len(self.scenario.jobs))}

    def providers(self, url):
        """Of the configuration: section llm.providers."""
        common = {"base_url": f"{url}/{self.name}/v1", "api_key": "strict-key-of-a-test",
                  "streaming": self.way == STREAMED, "structured_output": "native"}
        return {self._name_at(protocol): common | {"protocol": protocol} | self.scenario.provider
                for protocol in self._protocols()}

    def models(self):
        """Of the configuration: section llm.models. A model of Anthropic's thinks where it is told to."""
        thinks = any(getattr(reply, "thinking", None) is not None for one in self.rounds() for reply in one.replies)
        told = {"thinking": {"mode": "enabled", "budget_tokens": 1024}} if thinks else {}
        common = {"model_id": "strict-1", "max_output_tokens": 2000}
        return {self._name_at(protocol): common | (told if protocol == "anthropic" else {}) | self.scenario.model |
                {"provider": self._name_at(protocol)} for protocol in self._protocols()}

    def jobs(self):
        return [{"tenant": "rig", "job_id": f"{self.name}-{i}", "conversation_id": self.name,
                 "model": self._name_at(self.protocol_of(i)),
                 "messages": [self.question(one) for one in job.rounds if not one.aside]} | job.fields
                for i, job in enumerate(self.scenario.jobs)]


@dataclasses.dataclass
class Account:
    """What the provider billed in one play."""

    kept: int = 0
    lost: int = 0
    summaries: int = 0  # that another model wrote, beside the calls
    usage: Usage = Usage()  # of what is kept
    by_question: dict = dataclasses.field(default_factory=dict)  # how many were billed
