#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Whether the stand-in itself does what tests rely on: it refuses, plays in order, breaks off, and keeps accounts."""

import http.client
import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from strict_model import basic, dialects, faults, good_requests
from strict_model.reply import LOST, Refuse, Say, Usage, ask
from strict_model.scenario import PROTOCOLS, STREAMED, one_job
from strict_model.server import WIRES, StrictModel

GOOD = {"anthropic": good_requests.anthropic, "openai_chat": good_requests.chat,
        "openai_responses": good_requests.responses}


def request_of(play):
    """A good one that asks the play's question."""
    request = GOOD[play.protocol]()
    question = play.question(play.rounds()[0])
    if play.protocol == "anthropic":
        request.body["messages"] = [{"role": "user", "content": question}]
    elif play.protocol == "openai_chat":
        request.body["messages"] = [{"role": "user", "content": question}]
    else:
        request.body["input"] = [{"role": "user", "content": question}]
    request.body["stream"] = play.way == STREAMED
    if play.way != STREAMED:
        request.body.pop("stream_options", None)
    return request


def post(model, play, request):
    """(status, body); of a body that breaks off, what came."""
    connection = http.client.HTTPConnection(model.url.removeprefix("http://"), timeout=10)
    try:
        path = f"/{play.name}{WIRES[play.protocol].PATH}"
        connection.request("POST", path, json.dumps(request.body), request.headers)
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        except http.client.IncompleteRead as error:
            return answer.status, error.partial
    finally:
        connection.close()


def plays_of(*replies):
    return one_job("what is tried", replies, "So.").plays()


class Server(unittest.TestCase):
    def test_a_request_that_breaks_a_rule_is_refused_as_its_provider_refuses(self):
        for play in plays_of(Say("So.")):
            with self.subTest(play.name), StrictModel([play]) as model:
                request = request_of(play)
                del request.body["model"]
                status, body = post(model, play, request)
                self.assertEqual(400, status)
                self.assertIn("model: Field required", json.loads(body)["error"]["message"])
                self.assertTrue(model.stages[play.name].broken)
                self.assertEqual({}, model.paid_calls())
                self.assertTrue(model.stages[play.name].unplayed())

    def test_replies_come_in_order_and_are_billed(self):
        for play in plays_of(ask(1), Refuse(429), Say("Half of it.", broken=True, billed=LOST), Say("So.")):
            with self.subTest(play.name), StrictModel([play]) as model:
                stage = model.stages[play.name]
                self.assertEqual([200, 429, 200, 200], [post(model, play, request_of(play))[0] for _ in range(4)])
                self.assertEqual(([], [], []), (stage.broken, stage.wrong, stage.unplayed()))
                self.assertEqual((2, 1), (stage.account.kept, stage.account.lost))
                self.assertEqual(Usage(1001 + 1003, 51 + 53), stage.account.usage)
                self.assertEqual({play.question(play.rounds()[0]): 3}, model.paid_calls())

    def test_a_broken_reply_is_half_of_one(self):
        for play in plays_of(Say("So it is.", broken=True), Say("So it is.")):
            with self.subTest(play.name), StrictModel([play]) as model:
                half = post(model, play, request_of(play))[1]
                whole = post(model, play, request_of(play))[1]
                self.assertLess(0, len(half))
                self.assertLess(len(half), 0.6 * len(whole))

    def test_one_request_too_many_is_wrong(self):
        for play in plays_of(Say("So.")):
            with self.subTest(play.name), StrictModel([play]) as model:
                post(model, play, request_of(play))
                self.assertEqual(400, post(model, play, request_of(play))[0])
                self.assertTrue(model.stages[play.name].wrong)

    def test_a_stream_that_was_not_asked_for_is_wrong(self):
        for play in plays_of(Say("So.")):
            with self.subTest(play.name), StrictModel([play]) as model:
                request = request_of(play)
                request.body["stream"] = play.way != STREAMED
                request.body.pop("stream_options", None)
                post(model, play, request)
                self.assertTrue(model.stages[play.name].wrong)

    def test_the_lists_have_every_protocol_and_each_name_once(self):
        for module in (basic, faults, dialects):
            plays = [play for scenario in module.SCENARIOS for play in scenario.plays()]
            self.assertEqual(len(plays), len({play.name for play in plays}))
            self.assertEqual(set(PROTOCOLS), {play.protocol for play in plays})


if __name__ == "__main__":
    unittest.main()
