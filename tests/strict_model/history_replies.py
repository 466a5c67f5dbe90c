# SPDX-License-Identifier: Apache-2.0
"""What a model of a generated history says: replies of all kinds that providers have been seen to give, well formed, odd,
cut, empty and broken, in the form of the server that is asked."""

import copy
import dataclasses
import json

from .events import sse
from .history_servers import WIRES
from .reply import Call, Say, Usage

_TEXTS = ("It is 42.", "It is 42. ", "Let me look.\n", "\n\n", " ", "ü汉 😀 \u2028", "<think>Hm.</think>It is 42.", "null",
          "\ufeff42", "x" * 2_500, "\"quoted\" \\ and \t tabbed")
_THOUGHTS = ("Hm.", "", "First ü, then 😀.\n", "y" * 1_500)
_GIVES = ("rows", "nothing", "blanks", "null", "long", "long", "long", "letters", "image", "error")
_BROKEN = ('{"give": ', "", "null", "[]", "5", '{"give": "rows"} and more', '{"a": "\\u0000"}', '{"give": "\\ud800"}')
_NAMES = ("no_such_tool", "functions.look", "x" * 70, "lo ok", "ü")
_USAGE = Usage(100, 10)


@dataclasses.dataclass(frozen=True)
class Answer:
    """What goes back over HTTP. `said`: the reply by each id in it, as the rules want to know it. `kind`: for the count."""

    kind: str
    status: int = 200
    label: str = "application/json"
    body: str = ""
    said: dict = dataclasses.field(default_factory=dict)


class Replies:
    """A model of one history."""

    def __init__(self, dice):
        self._dice = dice
        self._count = 0

    def refusal(self, server, kind, message, status=400):
        return Answer(kind, status, body=json.dumps(WIRES[server.protocol].error_body(status, "", message)))

    def reply(self, server, body, left):
        """`left`: how many more replies there may be before it has to end."""
        self._count += 1
        has_tools = bool(body.get("tools"))
        if server.in_text:
            return self._in_text(server, body, left)
        if left <= 0:
            return self._whole(server, body, "answer", Say("It is 42.", stop="end"))
        kind = self._kind(server, has_tools)
        if kind in ("unavailable", "gateway"):
            return self.refusal(server, kind, "not now", 500 if kind == "unavailable" else 502)
        if kind == "nonsense":
            return Answer(kind, body=self._dice.choice(("<html>", "{}", '{"content": 5}', "data: {\"a\": \n\n")))
        return self._whole(server, body, kind, self._say(server, kind))

    def _kind(self, server, has_tools):
        kinds = ["answer", "answer", "cut", "thought cut", "nothing", "thought only", "unavailable", "gateway", "nonsense"]
        if has_tools:
            kinds += ["calls"] * 18 + ["wide", "odd names", "broken arguments", "calls cut", "calls as an end"]
        if server.protocol == "anthropic":
            kinds += ["paused", "paused thinking"]
        if self._dice.random() < 0.04:
            return self._dice.choice(("refused", "lone surrogates"))
        return self._dice.choice(kinds)

    def _say(self, server, kind):
        dice = self._dice
        thinking = dice.choice(_THOUGHTS) if dice.random() < 0.5 else None
        say = Say(dice.choice(_TEXTS), thinking, stop="end", redacted=dice.random() < 0.1)
        few = {"calls": dice.randint(1, 3), "wide": dice.randint(9, 26)}.get(kind, dice.randint(1, 2))
        text = dice.choice(("", "", *_TEXTS))
        if kind in ("calls", "wide"):
            return dataclasses.replace(say, text=text, calls=self._calls(few), stop="calls", empty_text=dice.random() < 0.2)
        if kind == "odd names":
            return dataclasses.replace(say, text=text, calls=self._calls(1) + (Call(dice.choice(_NAMES), {}),), stop="calls")
        if kind == "broken arguments":
            return dataclasses.replace(say, text=text, calls=(Call("look", dice.choice(_BROKEN)), *self._calls(1)),
                                       stop="calls")
        if kind == "calls cut":
            return dataclasses.replace(say, text=text, calls=self._calls(few), stop="cut")
        if kind == "calls as an end":
            end = "calls" if server.protocol == "openai_responses" else "end"
            return dataclasses.replace(say, text=text, calls=self._calls(few), stop=end)
        if kind in ("thought cut", "thought only", "paused thinking"):
            stop = {"thought cut": "cut", "thought only": "end", "paused thinking": "paused"}[kind]
            return Say("", dice.choice(_THOUGHTS), stop=stop, empty_text=dice.random() < 0.3, redacted=say.redacted)
        if kind == "nothing":
            return Say(dice.choice(("", " ", "\n")), stop="end", empty_text=dice.random() < 0.5)
        if kind == "lone surrogates":
            return dataclasses.replace(say, text="a \ud83d lone \udc00 half")
        return dataclasses.replace(say, stop={"cut": "cut", "refused": "refused", "paused": "paused"}.get(kind, "end"))

    def _calls(self, count):
        return tuple(Call(self._dice.choice(("look", "look", "read", "keep")), {"give": self._dice.choice(_GIVES)})
                     for _ in range(count))

    def _whole(self, server, body, kind, say):
        wire = WIRES[server.protocol]
        if server.protocol == "anthropic" and body.get("thinking") is None:
            say = dataclasses.replace(say, thinking=None, redacted=False)
        reply = wire.whole(say, _USAGE, f"{self._count:04d}", body)
        if server.protocol == "openai_chat":
            self._dress(server, reply["choices"][0]["message"])
        said = copy.deepcopy(wire.said(reply))
        if not body.get("stream"):
            return Answer(kind, body=json.dumps(reply), said=said)
        return Answer(kind, label="text/event-stream", body=sse(wire.stream(reply)).decode(), said=said)

    def _dress(self, server, message):
        """As this server writes it."""
        thinking = message.pop("reasoning_content", None)
        if server.member == "reasoning_details" and thinking is not None:
            message["reasoning_details"] = [{"type": "reasoning.text", "text": thinking, "signature": "c2ln", "index": 0}]
        elif server.member and thinking is not None:
            message[server.member] = thinking
        ids = self._ids(server, message.get("tool_calls") or [])
        for call, one in zip(message.get("tool_calls") or [], ids):
            call["id"] = one
            if server.call_member:
                call[server.call_member] = {"google": {"thought_signature": "U0lH"}}

    def _ids(self, server, calls):
        dice, count = self._dice, self._count
        ways = {
            "words": lambda i, _: f"call_{count}_{i}_{dice.getrandbits(40):x}",
            "short": lambda i, _: f"call_{i}",  # again and again, but not in one reply
            "nine": lambda i, _: f"{count:04d}{i:05d}",
            "numbers": lambda i, call: f"functions.{call['function']['name']}:{i}",
        }
        odd = (lambda i, _: f"call_{i}", lambda i, _: f"functions.look:{i}", lambda i, _: f"a b/ü {i}",
               lambda i, _: "x" * 41 + str(i), lambda i, _: "x" * 65 + str(i), lambda i, _: "y" * 200 + str(i),
               lambda i, _: f"hex-id_{i}", lambda i, _: f"{count}-{i}-{'z' * dice.randint(1, 50)}",
               lambda i, _: str(i), lambda i, _: "" if i == 0 and dice.random() < 0.3 else f"😀{i}",
               lambda i, _: "same" if dice.random() < 0.2 else f"s{i}")
        way = dice.choice(odd) if server.ids == "odd" else ways[server.ids]
        return [way(i, call) for i, call in enumerate(calls)]

    def _in_text(self, server, body, left):
        kind = "answer"
        text = "Thought: I know.\nFinal Answer: It is 42."
        if left > 0 and "look" in json.dumps(body["messages"][0]):
            kind = self._dice.choice(("calls", "calls", "answer", "nothing", "odd names", "broken arguments"))
            text = {"calls": 'Thought: Let me look.\nAction: look {"give": "%s"}' % self._dice.choice(_GIVES),
                    "nothing": " ", "odd names": "Action: lo_ok {}", "broken arguments": 'Action: look {"give": '}.get(kind, text)
        return self._whole(server, body, kind, Say(text, stop="end"))
