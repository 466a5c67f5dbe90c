# SPDX-License-Identifier: Apache-2.0
"""Stands between whoever asks a model over Anthropic's protocol and the model, and keeps each paid call: the request,
and the bill of the reply. The bytes pass unchanged, a reply as a whole."""

import dataclasses
import http.client
import http.server
import json
import threading
import urllib.parse

from benchmarks.economy_bill import Bill, SharedPromptCache, bill_of, shared_bill

_SECONDS = 60
_PASSED_ON = ("content-type", "x-api-key", "authorization", "anthropic-version", "anthropic-beta")


@dataclasses.dataclass
class Call:
    request: dict
    bill: Bill  # as the model reports it
    shared: Bill  # the same where its cache outlives a job

    def observations(self):
        """Texts of the tools' results."""
        for message in self.request["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block["type"] == "tool_result":
                    content = block["content"]
                    yield content if isinstance(content, str) else "".join(part["text"] for part in content)


def usage_of(body):
    """Of a reply, streamed or not; the last word on each figure counts."""
    text = body.decode()
    if not text.startswith("event:"):
        return json.loads(text)["usage"]
    usage = {}
    for line in text.splitlines():
        if line.startswith("data: "):
            event = json.loads(line[len("data: "):])
            usage |= event.get("message", {}).get("usage", {}) | event.get("usage", {})
    return usage


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512


class PaidCalls:
    """A context; `url` is where to ask. `calls` are in the order of their replies, `refused` what the model said else."""

    def __init__(self, model_url):
        self._model = urllib.parse.urlsplit(model_url).netloc
        self._cache = SharedPromptCache()
        self._lock = threading.Lock()
        self.calls, self.refused = [], []
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, name="paid calls", daemon=True).start()
        return self

    def __exit__(self, *_exception):
        self._server.shutdown()
        self._server.server_close()

    def take(self):
        """The calls since the last time; a refused one is an error."""
        with self._lock:
            calls, self.calls = self.calls, []
        if self.refused:
            raise AssertionError(f"the model refused {len(self.refused)} requests: {self.refused[0]}")
        return calls

    def _ask(self, path, headers, body):
        connection = http.client.HTTPConnection(self._model, timeout=_SECONDS)
        try:
            connection.request("POST", path, body, {k: v for k, v in headers.items() if k.lower() in _PASSED_ON})
            reply = connection.getresponse()
            return reply.status, reply.getheader("Content-Type"), reply.read()
        finally:
            connection.close()

    def _pass(self, path, headers, body):
        request = json.loads(body)
        read, written, ends = self._cache.look(request)
        status, kind, reply = self._ask(path, headers, body)
        with self._lock:
            if status != 200:
                self.refused.append(f"{status} {reply.decode()[:500]}")
            else:
                bill = bill_of(usage_of(reply))
                self.calls.append(Call(request, bill, shared_bill(bill, read, written)))
                self._cache.keep(ends)
        return status, kind, reply

    def _handler(self):
        calls = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                # pylint: disable=protected-access
                status, kind, reply = calls._pass(self.path, self.headers, body)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_arguments):
                pass

        return Handler
