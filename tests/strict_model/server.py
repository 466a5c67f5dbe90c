# SPDX-License-Identifier: Apache-2.0
"""The stand-in: an HTTP server that holds every request against the rules of its provider, plays the next reply of the
play that the path names, and keeps an account of what was billed."""

import http.server
import json
import sys
import threading
import traceback

from . import (anthropic_rules, anthropic_thinking_rules, anthropic_wire, chat_rules, chat_wire, responses_rules,
               responses_wire)
from .events import sse
from .reply import KEPT, LOST, UNPAID, Raw, Refuse, Usage
from .rule import Request, Violation, violations
from .scenario import STREAMED, Account

WIRES = {"anthropic": anthropic_wire, "openai_chat": chat_wire, "openai_responses": responses_wire}
_RULES = {"anthropic": anthropic_rules.RULES + anthropic_thinking_rules.RULES, "openai_chat": chat_rules.RULES,
          "openai_responses": responses_rules.RULES}


_PROTOCOLS = {wire.PATH: protocol for protocol, wire in WIRES.items()}


def rules_of(scenario, protocol):
    own = chat_rules.OWN_RULES if protocol == "openai_chat" and not scenario.lenient else []
    return [*_RULES[protocol], *own, *scenario.rules]


class Stage:
    """One play under way. `broken`: rules that requests broke; `wrong`: what the play didn't expect."""

    def __init__(self, play):
        self.play = play
        self.account = Account()
        self.broken = []
        self.wrong = []
        self.journal = []
        self._left = {play.question(one): list(one.replies) for one in play.rounds()}
        self._asked_at = {play.question(one): play.protocol_of(i) for i, job in enumerate(play.scenario.jobs)
                          for one in job.rounds}
        self._said = {protocol: {} for protocol in WIRES}
        self._replies = 0
        self._lock = threading.Lock()

    def unplayed(self):
        return [f"{len(left)} replies to '{question}'" for question, left in self._left.items() if left]

    def answer(self, path, headers, body):
        """(status, headers, bytes, whether all of them are sent)"""
        with self._lock:
            protocol = _PROTOCOLS.get(path, self.play.protocol)
            try:
                return self._answer(protocol, headers, json.loads(body))
            except Exception:  # pylint: disable=broad-exception-caught
                self.wrong.append(f"{path}: {traceback.format_exc()}")
                return self._refusal(Refuse(500, message="the stand-in failed"), protocol)

    def _answer(self, protocol, headers, body):
        request = Request(body, headers, self._said[protocol])
        found: list[Violation] = violations(rules_of(self.play.scenario, protocol), request)
        self.broken += found
        self.journal.append({"protocol": protocol, "request": body, "broken": [str(one) for one in found]})
        if body.get("stream", False) != (self.play.way == STREAMED):
            self.wrong.append(f"stream is {body.get('stream')}")
        if found:
            return self._refusal(Refuse(400, message=found[0].place), protocol)
        question = self._question(protocol, body)
        if protocol != self._asked_at.get(question) or not self._left[question]:
            self.wrong.append(f"{protocol}: a request that isn't expected there, or once more: {question}")
            return self._refusal(Refuse(400, message="the play is over"), protocol)
        reply = self._left[question].pop(0)
        self.journal[-1]["reply"] = repr(reply)
        if isinstance(reply, Refuse):
            return self._refusal(reply, protocol, question)
        label, data, complete = self._bytes_of(reply, protocol, question, body)
        return 200, {"content-type": label}, data, complete

    def _question(self, protocol, body):
        """The newest one in the texts of users."""
        for text in reversed(list(WIRES[protocol].human_texts(body))):
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

    def _refusal(self, refuse, protocol, question=None):
        self._bill(refuse.billed, Usage(), question)
        body = refuse.body
        if body is None:
            body = WIRES[protocol].error_body(refuse.status, refuse.kind, refuse.message)
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        return refuse.status, {"content-type": "application/json"} | refuse.headers, data, True

    def _bytes_of(self, reply, protocol, question, body):
        """(content type, bytes, whether all of them are sent)"""
        self._replies += 1
        if isinstance(reply, Raw):
            return self._raw_bytes(reply, protocol, question)
        usage = reply.usage or Usage(1000 + self._replies, 50 + self._replies)
        reply = self.play.filled(reply)
        self._bill(reply.billed, usage, question)
        wire, place = WIRES[protocol], f"{self._replies:04d}"
        whole = wire.whole(reply, usage, place, body)
        self._said[protocol] |= wire.said(whole)
        if self.play.way == STREAMED:
            return "text/event-stream", sse(wire.events(reply, usage, place, body)), not reply.broken
        return "application/json", json.dumps(whole).encode(), not reply.broken

    def _raw_bytes(self, reply, protocol, question):
        self._bill(reply.billed, reply.usage, question)
        for call in (reply.message or {}).get("tool_calls") or []:
            self._said[protocol][call["id"]] = reply.message
        if self.play.way == STREAMED:
            return reply.label, reply.bare.encode() or sse([("", event) for event in reply.events]), True
        return "application/json", json.dumps(reply.whole).encode(), True


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
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        for key, value in said.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data if complete else data[:len(data) // 2])
        self.close_connection = not complete

    def log_message(self, *_arguments):
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024  # all jobs may ask at once

    def handle_error(self, request, client_address):
        """Who doesn't need a reply any more goes; anything else is told."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class StrictModel:
    """A context: it serves while it lasts. `stages` are the plays, by name; `beside` makes further ones of them."""

    def __init__(self, plays, beside=lambda stages: {}):
        self.stages = {play.name: Stage(play) for play in plays}
        assert len(self.stages) == len(plays), "two plays have one name"
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self.beside = beside(self.stages)
        self._server.stages = self.stages | self.beside
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
