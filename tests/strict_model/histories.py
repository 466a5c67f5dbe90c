# SPDX-License-Identifier: Apache-2.0
"""Generated conversations: jobs that a real worker's code runs (ba-strict-worker), with models that say all kinds of things,
moves between servers, deaths, refusals and compressions in the middle. Each request is held against the rules of its server.
The same seed is the same history."""

import collections
import dataclasses
import json
import random
import subprocess

from . import kept_histories
from .history_replies import Answer, Replies
from .history_servers import MODELS
from .rule import Request, violations

_BOUND = "all before thinking is as it was when the model thought it"
_SCHEMA = json.dumps({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
                      "additionalProperties": False}, separators=(",", ":"))
_QUESTIONS = ("How many?", "Wie viele, bitte? 😀", "Look at it. You must not guess.", "z" * 2_000, " And now?\n")
# How a job may end here: by an answer, by what the model was told to do, by limits. Anything else is a fault.
_DEATHS_MAX = 2  # of a job: the third attempt is the last
_ENDS = {"completed", "model_error", "truncated", "refused"}


class WorkerGone(Exception):
    pass


class Worker:
    """The other end of the pipe; a context."""

    def __init__(self, program, configuration):
        self._process = subprocess.Popen([program, configuration], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(10)

    def _write(self, value):
        self._process.stdin.write(json.dumps(value).encode() + b"\n")
        self._process.stdin.flush()

    def begin(self, rules):
        self._write({"do": "begin"} | rules)

    def run(self, command, answer):
        """How it ended; `answer` is asked for each request."""
        self._write(command)
        while True:
            line = self._process.stdout.readline()
            if not line:
                raise WorkerGone(f"ba-strict-worker ended with {self._process.wait(10)} at {command}")
            said = json.loads(line)
            if "ended" in said:
                return said["ended"]
            given = answer(said)
            self._write({"status": given.status, "type": given.label, "body": given.body})


@dataclasses.dataclass(frozen=True)
class Fault:
    seed: int
    model: str
    what: str

    def __str__(self):
        return f"history {self.seed}, {self.model}: {self.what}"


def server_of(url):
    return url.split("/")[3]


def storable(body):
    """Half a character is no text; a server refuses it, or takes another."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
        return True
    except UnicodeEncodeError:
        return False


class History:
    """One conversation. `counts` has what there was of each kind, `faults` what was wrong, `requests` those that broke no
    rule: (rules, request). `tell` hears of each request and reply."""

    def __init__(self, seed, tell=lambda text: None):
        self.seed = seed
        self._tell = tell
        self.counts = collections.Counter()
        self.faults = []
        self.requests = []
        self._dice = random.Random(f"history {seed}")
        self._replies = Replies(self._dice)
        self._said = collections.defaultdict(dict)
        self._servers = set()  # that have said something
        self._forgetful = set()  # that may be sent thoughts once more which they refuse: the process is a new one
        self._left = 0
        self._deaths = 0
        self._refused = False

    def play(self, worker):
        dice = self._dice
        worker.begin({"mode": dice.choice(("extract", "truncate", "summarize")), "reminder_steps": dice.choice((0, 2, 3)),
                      "summary_model": dice.choice(("", "openai"))})
        if dice.random() < 0.2:
            return self._ask(worker)
        model, end = "", dice.choice(("", ".small"))
        for number in range(dice.randint(1, 4)):
            if not model or dice.random() < 0.6:
                model = dice.choice([name for name in MODELS if name.endswith(".small") == bool(end)])
            self._job(worker, number, model)
        return None

    def _job(self, worker, number, model):
        dice = self._dice
        self._left, self._deaths, self._refused = dice.randint(1, 9), 0, False
        ended = worker.run({"do": "job", "id": f"job-{number}", "model": model,
                            "agent": dice.choice(("", "", "", "few", "none")),
                            "answer_schema": _SCHEMA if dice.random() < 0.05 else "",
                            "messages": [dice.choice(_QUESTIONS) for _ in range(dice.choice((1, 1, 2)))]}, self._answer)
        self._judge(model, ended, _ENDS)

    def _ask(self, worker):
        """Of what an earlier version kept."""
        dice = self._dice
        model = dice.choice(list(MODELS))
        self.counts["kept by an earlier version"] += 1
        self._left, self._deaths, self._refused = 0, _DEATHS_MAX, False
        self._forgetful = set(server.name for server in MODELS.values())
        history, said = kept_histories.history(dice, MODELS[model])
        self._said[MODELS[model].name] |= said
        self._servers = {"somebody", "else"}
        self._judge(model, worker.run({"do": "ask", "model": model, "agent": dice.choice(("default", "few", "none")),
                                       "history": history}, self._answer), {"replied", "failed"})

    def _judge(self, model, ended, known):
        self.counts[f"ended: {ended['outcome']} {ended['code']}"] += 1
        unsendable = not self._refused and ended["code"] in ("MODEL_INVALID_ARGUMENT", "INVALID_ARGUMENT", "invalid_argument")
        if ended["outcome"] not in known or unsendable:
            self.faults.append(Fault(self.seed, model, f"it ended as {ended}"))

    def _answer(self, post):
        given = self._judged(post)
        self._tell(f"> {post['body']}\n< {given.kind}: {given.status} {given.body}")
        return given

    def _judged(self, post):
        body = json.loads(post["body"])
        server = MODELS[body["model"]]
        assert server.name == server_of(post["url"]), post["url"]
        self.counts["requests"] += 1
        self.counts[f"at {server.name}"] += 1
        request = Request(body, post["headers"], self._said[server.name])
        rules = server.rules + (server.own if self._servers <= {server.name} else ())
        found = violations(rules, request)
        if found and server.name in self._forgetful and {one.rule.name for one in found} == {_BOUND}:
            self._forgetful.discard(server.name)
            self.counts["bound thoughts refused once"] += 1
            return self._replies.refusal(server, "bound", found[0].place)
        if not storable(body):
            found.append("half a character")
        if found:
            self._refused = True
            self.faults += [Fault(self.seed, body["model"], str(one)) for one in found]
            return self._replies.refusal(server, "broken", str(found[0]))
        self.requests.append((rules, request))
        return self._said_to(server, body)

    def _said_to(self, server, body):
        dice = self._dice
        chance = dice.random()
        if chance < 0.03 and self._deaths < _DEATHS_MAX:
            self._deaths += 1
            self._forgetful = set(one.name for one in MODELS.values())
            self.counts["deaths"] += 1
            return Answer("death", 0)
        if chance < 0.06 and self._left > 0:
            self.counts["refused as too long"] += 1
            return self._replies.refusal(server, "full", "prompt is too long: 5000 tokens > 4000 maximum")
        if chance < 0.075:
            self._refused = True
            self.counts["refused for good"] += 1
            return self._replies.refusal(server, "refused", "no")
        self._left -= 1
        answer = self._replies.reply(server, body, self._left)
        self.counts[answer.kind] += 1
        if self._servers and server.name not in self._servers:
            self.counts["moves"] += 1
        self._servers.add(server.name)
        self._said[server.name].update(answer.said)
        return answer


def play_all(worker, seeds, tell=lambda text: None):
    """(counts, faults, requests) of all of them."""
    counts, faults, requests = collections.Counter(), [], []
    for seed in seeds:
        history = History(seed, tell)
        history.play(worker)
        counts += history.counts
        faults += history.faults
        requests += history.requests
    return counts, faults, requests
