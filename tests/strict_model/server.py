# SPDX-License-Identifier: Apache-2.0
"""The stand-in: an HTTP server that holds every request against the rules of its provider, plays the next reply of the
play that the path names, and keeps an account of what was billed."""

import http.server
import json
import threading
import traceback

from . import (anthropic_rules, anthropic_thinking_rules, anthropic_wire, chat_rules, chat_wire, responses_rules,
               responses_wire)
from .reply import KEPT, LOST, UNPAID, Raw, Refuse, Usage
from .rule import Request, Violation, violations
from .scenario import STREAMED, Account

WIRES = {"anthropic": anthropic_wire, "openai_chat": chat_wire, "openai_responses": responses_wire}
_RULES = {"anthropic": anthropic_rules.RULES + anthropic_thinking_rules.RULES, "openai_chat": chat_rules.RULES,
          "openai_responses": responses_rules.RULES}


def rules_of(play):
    own = chat_rules.OWN_RULES if play.protocol == "openai_chat" and not play.scenario.lenient else []
    return [*_RULES[play.protocol], *own, *play.scenario.rules]


class Stage:
    """One play under way. `broken`: rules that requests broke; `wrong`: what the play didn't expect."""

    def __init__(self, play):
        self.play = play
        self.wire = WIRES[play.protocol]
        self.account = Account()
        self.broken = []
        self.wrong = []
        self.journal = []
        self._left = {play.question(one): list(one.replies) for one in play.rounds()}
        self._said = {}
        self._replies = 0
        self._lock = threading.Lock()

    def unplayed(self):
        return [f"{len(left)} replies to '{question}'" for question, left in self._left.items() if left]

    def answer(self, path, headers, body):
        """(status, headers, bytes, whether all of them are sent)"""
        with self._lock:
            try:
                return self._answer(path, headers, json.loads(body))
            except Exception:  # pylint: disable=broad-exception-caught
                self.wrong.append(traceback.format_exc())
                return self._refusal(Refuse(500, message="the stand-in failed"))

    def _answer(self, path, headers, body):
        if path != self.wire.PATH:
            self.wrong.append(f"a request to {path}, not {self.wire.PATH}")
        request = Request(body, headers, self._said)
        found: list[Violation] = violations(rules_of(self.play), request)
        self.broken += found
        self.journal.append({"request": body, "broken": [str(one) for one in found]})
        if body.get("stream", False) != (self.play.way == STREAMED):
            self.wrong.append(f"stream is {body.get('stream')}")
        if found:
            return self._refusal(Refuse(400, message=found[0].place))
        question = self._question(body)
        if not self._left.get(question):
            self.wrong.append(f"asked once more than the play has replies: {question}")
            return self._refusal(Refuse(400, message="the play is over"))
        reply = self._left[question].pop(0)
        self.journal[-1]["reply"] = repr(reply)
        return self._refusal(reply, question) if isinstance(reply, Refuse) else self._say(reply, question, body)

    def _question(self, body):
        """The newest one in the texts of users."""
        for text in reversed(list(self.wire.human_texts(body))):
            places = [(text.rfind(question), question) for question in self._left if question in text]
            if places:
                return max(places)[1]
        return None

    def _bill(self, billed, usage, question):
        if billed == UNPAID:
            return
        self.account.by_question[question] = self.account.by_question.get(question, 0) + 1
        if billed == LOST:
            self.account.lost += 1
            return
        assert billed == KEPT, billed
        self.account.kept += 1
        self.account.usage += usage

    def _refusal(self, refuse, question=None):
        self._bill(refuse.billed, Usage(), question)
        body = refuse.body
        if body is None:
            body = self.wire.error_body(refuse.status, refuse.kind, refuse.message)
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        return refuse.status, {"content-type": "application/json"} | refuse.headers, data, True

    def _say(self, reply, question, body):
        self._replies += 1
        place = f"{self._replies:04d}"
        if isinstance(reply, Raw):
            return self._say_raw(reply, question)
        usage = reply.usage or Usage(1000 + self._replies, 50 + self._replies)
        reply = self.play.filled(reply)
        self._bill(reply.billed, usage, question)
        self._said |= self.wire.said(self.wire.whole(reply, usage, place, body))
        if self.play.way == STREAMED:
            data = _sse(self.wire.events(reply, usage, place, body))
            label = "text/event-stream"
        else:
            data = json.dumps(self.wire.whole(reply, usage, place, body)).encode()
            label = "application/json"
        return 200, {"content-type": label}, data, not reply.broken

    def _say_raw(self, reply, question):
        self._bill(reply.billed, reply.usage, question)
        for call in (reply.message or {}).get("tool_calls") or []:
            self._said[call["id"]] = reply.message
        if self.play.way == STREAMED:
            events = [("", event) for event in reply.events]
            return 200, {"content-type": reply.label}, reply.bare.encode() or _sse(events), True
        return 200, {"content-type": "application/json"}, json.dumps(reply.whole).encode(), True


def _sse(events):
    lines = []
    for name, data in events:
        if name:
            lines.append(f"event: {name}")
        lines.append("data: " + data if isinstance(data, str) else "data: " + json.dumps(data))
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        _nothing, name, path = self.path.split("/", 2)
        stage = self.server.stages.get(name)
        if stage is None:
            self.send_error(404)
            return
        headers = {key.lower(): value for key, value in self.headers.items()}
        status, said, data, complete = stage.answer("/" + path, headers, body)
        self.send_response(status)
        for key, value in said.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data if complete else data[:len(data) // 2])
        self.close_connection = not complete

    def log_message(self, *_arguments):
        pass


class StrictModel:
    """A context: it serves while it lasts. `stages` are the plays, by name."""

    def __init__(self, plays):
        self.stages = {play.name: Stage(play) for play in plays}
        assert len(self.stages) == len(plays), "two plays have one name"
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.stages = self.stages
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_exception):
        self._server.shutdown()
        self._server.server_close()

    def paid_calls(self):
        """How many were billed, by question."""
        return {question: paid for stage in self.stages.values()
                for question, paid in stage.account.by_question.items()}
