# SPDX-License-Identifier: Apache-2.0
"""Conversations that were held elsewhere, in the forms in which they are imported, and the job that goes on with one: its
answer says what the model was sent of them (script.yaml). All of it follows from tenant and number."""

import dataclasses
import json
import random

from tenants import TENANTS

FORMS = ("langchain", "anthropic", "openai")
GOES_ON = "goes on"  # how a question begins
PREFIX = "held-"  # of the conversations' ids
_ROUNDS_MAX = 3  # the script tells of so many
_LOOKS = "looking"  # said with a call
_TOOL = "query_database"


@dataclasses.dataclass(frozen=True)
class Round:
    question: str
    call_id: str  # "" without a call
    observation: str
    answer: str


@dataclasses.dataclass(frozen=True)
class Held:
    tenant: str
    number: int

    @property
    def conversation_id(self):
        return f"{PREFIX}{self.number}"

    @property
    def name(self):
        return f"{self.tenant}/{self.conversation_id}"

    @property
    def job_id(self):
        return f"import-{self.number}"

    @property
    def _word(self):
        return f"{TENANTS[self.tenant]}-{self.job_id}"

    @property
    def form(self):
        return random.Random(f"{self._word}/form").choice(FORMS)

    def rounds(self):
        """What was said. Each text is there once."""
        chance = random.Random(f"{self._word}/rounds")
        return [Round(f"told {self._word}-{i}", f"call_{self.number}_{i}" if chance.random() < 0.5 else "",
                      f"seen {self._word}-{i}", f"known {self._word}-{i}")
                for i in range(chance.randint(1, _ROUNDS_MAX))]

    def job(self):
        """The job that goes on with it."""
        return {"tenant": self.tenant, "job_id": self.job_id, "conversation_id": self.conversation_id,
                "messages": [f"{GOES_ON} {self._word}-0"]}

    def answer(self):
        """That job's only one."""
        rounds = self.rounds()
        said = ["- - -"] * (_ROUNDS_MAX - len(rounds))
        said += [f"{each.question} {each.observation if each.call_id else '-'} {each.answer}" for each in rounds]
        return f"asked {self._word}-0 in round {len(rounds) + 1}, after {', '.join(said)}"

    def messages(self):
        """As (type, text, calls as (id, name, arguments), the call that is answered)."""
        found = []
        for each in self.rounds():
            found.append(("human", each.question, [], None))
            if each.call_id:
                found.append(("ai", _LOOKS, [(each.call_id, _TOOL, {"sql": each.question})], None))
                found.append(("tool", each.observation, [], each.call_id))
            found.append(("ai", each.answer, [], None))
        return found

    def file(self):
        """In its form, as JSON."""
        write = {"langchain": _langchain, "anthropic": _anthropic, "openai": _openai}[self.form]
        return json.dumps([write(*message) for message in self.messages()])


def held_of(job):
    """What a job goes on with, None if it is another job."""
    if not job["messages"][0].startswith(GOES_ON):
        return None
    return Held(job["tenant"], int(job["job_id"].rpartition("-")[2]))


def as_held(stored):
    """A message of the ledger, as Held.messages() has it."""
    data = stored["data"]
    calls = [(call["id"], call["name"], call["args"]) for call in data.get("tool_calls", [])]
    return stored["type"], data["content"], calls, data.get("tool_call_id")


def _langchain(kind, text, calls, answered):
    data = {"content": text, "type": kind}
    if calls:
        data["tool_calls"] = [{"id": call, "name": name, "args": args, "type": "tool_call"} for call, name, args in calls]
    if answered:
        data |= {"tool_call_id": answered, "name": _TOOL}
    return {"type": kind, "data": data}


def _anthropic(kind, text, calls, answered):
    if answered:
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": answered, "content": text}]}
    uses = [{"type": "tool_use", "id": call, "name": name, "input": args} for call, name, args in calls]
    return {"role": "user" if kind == "human" else "assistant", "content": [{"type": "text", "text": text}, *uses]}


def _openai(kind, text, calls, answered):
    message = {"role": {"human": "user", "ai": "assistant", "tool": "tool"}[kind], "content": text}
    if calls:
        message["tool_calls"] = [{"id": call, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
                                 for call, name, args in calls]
    return message | ({"tool_call_id": answered} if answered else {})
