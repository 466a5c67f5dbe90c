# SPDX-License-Identifier: Apache-2.0
"""Conversations as earlier versions kept them, or as they were brought in from elsewhere: what a worker of today would not
write any more, but must be able to go on with."""

import json

from . import seal

_TEXTS = ("It is 42.", "", " \n", "So ", "ü汉 😀", "x" * 300)
_RESULTS = ("1", "", " ", "x" * 300, '[{"type":"image"}]', "ü\u2028")
_IDS = ("call_0", "toolu_1", "a b/ü", "x" * 41, "x" * 65, "x" * 200, "functions.look:0", "hex-id_61", "hash-id_0", "😀", "0")
_NAMES = ("look", "gone_tool", "functions.look", "x" * 70, "ü")


def history(dice, server):
    """(LangChain's messages, the replies in them that `server` wrote, by each id in them)"""
    maker = _Maker(dice, server)
    for _ in range(dice.randint(0, 1)):
        maker.add("system", "Summary of what came before.")
    for _ in range(dice.randint(1, 6)):
        maker.turn()
    maker.add("human", "And now?")
    return maker.messages, maker.said


class _Maker:
    def __init__(self, dice, server):
        self._dice = dice
        self._server = server
        self.messages = []
        self.said = {}

    def add(self, kind, content, **more):
        number = len(self.messages)
        kwargs = more.pop("kwargs", {})
        self.messages.append({"type": kind, "data": {
            "content": content, "additional_kwargs": kwargs, "response_metadata": {}, "type": kind, "id": f"m{number}"} | more})

    def turn(self):
        dice = self._dice
        for _ in range(dice.choice((0, 1, 1, 1, 2))):
            self.add(dice.choice(("human", "human", "human", "system")), dice.choice(_TEXTS))
        for _ in range(dice.choice((0, 1, 1, 2))):
            self._reply()

    def _reply(self):
        dice = self._dice
        count = dice.choice((0, 1, 1, 2, 12))
        base = dice.choice(_IDS)
        ids = [base if i == 0 else f"{base}{i}" for i in range(count)]
        own = dice.random() < 0.5
        if own and self._server.ids != "odd":
            ids = [f"call_{len(self.messages)}_{i}" for i in range(count)]
            if self._server.ids == "nine":
                ids = [f"{len(self.messages):04d}{i:05d}" for i in range(count)]
        text = dice.choice(_TEXTS)
        calls = [{"name": dice.choice(_NAMES), "args": {"give": "rows"}, "id": one, "type": "tool_call"} for one in ids]
        kwargs = {"ba": self._extra(text, calls)} if own else {}
        self.add("ai", text, tool_calls=calls, invalid_tool_calls=[], kwargs=kwargs)
        for call in calls:
            self.add("tool", dice.choice(_RESULTS), tool_call_id=call["id"], name=call["name"],
                     status=dice.choice(("success", "success", "error")), artifact=None)

    def _extra(self, text, calls):
        server = self._server
        if server.protocol == "anthropic":
            kept = self._blocks(text, calls)
        elif server.protocol == "openai_responses":
            kept = self._items(text, calls)
        else:
            kept = self._members()
        return {"provider": f"{server.protocol}/{server.name}", "provider_json": json.dumps(kept)}

    def _blocks(self, text, calls):
        """Blocks without text, and thinking at the end, are no longer kept."""
        for call in calls:
            call["name"] = "look"
        thought = "Hm."
        blocks = [{"type": "thinking", "thinking": thought, "signature": seal.signature(thought, "once")}]
        blocks += [{"type": "text", "text": text}] if self._dice.random() < 0.8 else []
        blocks += [{"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]} for call in calls]
        for call in calls:
            self.said[call["id"]] = [block for block in blocks if block["type"] != "text" or text.strip()]
        return blocks

    def _items(self, text, calls):
        number = len(self.messages)
        items = [{"type": "reasoning", "id": f"rs_{number}", "summary": [],
                  "encrypted_content": seal.encrypted(f"rs_{number}", [])}] if self._dice.random() < 0.7 else []
        if text or self._dice.random() < 0.3:
            items.append({"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
                          "content": [{"type": "output_text", "text": text, "annotations": []}]})
        items += [{"type": "function_call", "id": f"fc_{number}_{i}", "call_id": call["id"], "name": call["name"],
                   "arguments": json.dumps(call["args"]), "status": "completed"} for i, call in enumerate(calls)]
        return items

    def _members(self):
        if self._server.member == "reasoning_details":
            return {"reasoning_details": [{"type": "reasoning.text", "text": "Hm.", "index": 0},
                                          {"type": "reasoning.text", "signature": "c2ln", "index": 0}]}
        return {self._server.member: "Hm."} if self._server.member and self._server.provider.get("resend_reasoning") else {}
