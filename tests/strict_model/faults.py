# SPDX-License-Identifier: Apache-2.0
"""Scenarios in which the provider refuses, breaks off or says something that can't be used."""

from .reply import LONG, LOST, Call, Refuse, Say, ask
from .scenario import STREAMED, Job, Round, Scenario, one_job

_ALL_BUT_CHAT = ("anthropic", "openai_responses")
_NOW = {"retry-after": "0.02"}
_DONE = Say("It is 42.")
_HALF = Say("It is forty-something, and this will not end well.", broken=True, billed=LOST)


def _fails(name, replies, code, **more):
    return one_job(name, replies, outcome="model_error", code=code, **more)


def _next_job(name, first, **more):
    """What a conversation has of a job that ended early must be good for the next one."""
    return Scenario(name, (first, Job((Round("And now", (ask(7), Say("Seven.")), "Seven."),))), **more)


_BREAKS = (
    one_job("an answer broken in the middle", [ask(1), _HALF, _DONE], "It is 42."),
    one_job("a call broken in the middle", [ask(42, broken=True, billed=LOST), ask(42), _DONE], "It is 42."),
    one_job("a connection that ends without a word", [ask(1), Refuse(0, billed=LOST), _DONE], "It is 42."),
    one_job("broken twice", [_HALF, _HALF, _DONE], "It is 42."),
    one_job("an error behind the first words", [
        Say("It is", error=("overloaded_error", "Overloaded"), billed=LOST), ask(1),
        Say("It is", error=("server_error", "gone"), billed=LOST), _DONE], "It is 42.", ways=(STREAMED,)),
)

_REFUSALS = (
    one_job("a rate limit with a wait", [Refuse(429, headers=_NOW), ask(1), Refuse(429, headers=_NOW), _DONE],
            "It is 42."),
    one_job("a rate limit with a wait in words", [
        Refuse(429, "rate_limit_exceeded", "Rate limit reached. Please try again in 20ms."), _DONE], "It is 42."),
    one_job("a rate limit with a wait in the body", [Refuse(429, body=[{"error": {
        "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota.", "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.02s"}]}}]), _DONE], "It is 42.",
            protocols=("openai_chat",)),
    one_job("more rate limits than tries", [*(Refuse(429, headers=_NOW) for _ in range(8)), _DONE], "It is 42."),
    one_job("overloaded", [Refuse(529), ask(1), Refuse(529), _DONE], "It is 42."),
    one_job("not ready, with a wait", [Refuse(503, headers=_NOW), _DONE], "It is 42."),
    one_job("a server's error", [Refuse(500), ask(1), Refuse(500), _DONE], "It is 42."),
    one_job("a gateway that gave up waiting", [Refuse(504, billed=LOST), _DONE], "It is 42."),
    one_job("a page of a gateway", [Refuse(502, body="<html><h1>502 Bad Gateway</h1></html>", billed=LOST), _DONE],
            "It is 42."),
    _fails("nothing but a server's errors", [Refuse(500)] * 6, "MODEL_UNAVAILABLE"),
    _fails("an unknown key", [Refuse(401, message="invalid key")], "MODEL_AUTHENTICATION"),
    _fails("a request that is refused", [ask(1), Refuse(400, message="no")], "MODEL_INVALID_ARGUMENT"),
    _fails("no money left", [Refuse(429, "insufficient_quota", "You exceeded your current quota.")],
           "MODEL_LIMIT_EXCEEDED"),
    _fails("an error that is called 200", [Refuse(200, "authentication_error", "invalid key")], "MODEL_AUTHENTICATION"),
    _fails("an error without a form, called 200", [Refuse(200, body={
        "code": "InvalidApiKey", "message": "No API-key provided.", "request_id": "r"})], "MODEL_AUTHENTICATION"),
    one_job("an overload that is called 200", [Refuse(200, "overloaded_error", "Overloaded", billed=LOST), _DONE],
            "It is 42."),
)

_REPLIES = (
    one_job("an empty reply", [Say(), _DONE], "It is 42."),
    one_job("an empty reply behind a tool", [ask(1), Say(), _DONE], "It is 42."),
    _fails("empty replies only", [ask(1), Say(), Say(), Say()], "EMPTY_REPLY"),
    one_job("thinking only", [ask(1, thinking="I look."), Say(thinking="Hm."), _DONE], "It is 42."),
    one_job("empty text beside thinking", [ask(1, 2, thinking="I look.", empty_text=True), ask(3, empty_text=True),
                                           Say("It is 42.", thinking="So.")], "It is 42.", protocols=_ALL_BUT_CHAT),
    one_job("a text of spaces beside a call", [ask(1, text=" \n"), _DONE], "It is 42."),
    one_job("arguments that are no JSON", [Say(calls=(Call("query_database", '{"sql": SELECT 1'),)), ask(1), _DONE],
            "It is 42.", protocols=("openai_chat", "openai_responses")),
    one_job("arguments that are no JSON, in pieces", [Say(calls=(Call("query_database", '{"sql": SELECT 1'),)), ask(1),
                                                      _DONE], "It is 42.", ways=(STREAMED,)),
    one_job("arguments that are a list", [Say(calls=(Call("query_database", "[1, 2]"),)), ask(1), _DONE], "It is 42.",
            protocols=("openai_chat", "openai_responses")),
    one_job("arguments of another schema", [Say(calls=(Call("query_database", {"query": 1}),)), ask(1), _DONE],
            "It is 42."),
    one_job("calls of a reply that was cut", [ask(1, 2, text="Let me", stop="cut"), ask(3), _DONE], "It is 42."),
    one_job("more calls than are run", [ask(*range(40)), _DONE], "It is 42."),
    one_job("a call that was cut", [Say(calls=(Call("query_database", '{"sql": "SEL'),), stop="cut"), ask(1), _DONE],
            "It is 42.", ways=(STREAMED,)),
    one_job("an unknown end, then a known one", [Say("It is", stop="max_time", billed=LOST), _DONE], "It is 42."),
    _fails("unknown ends only", [Say("It is", stop="max_time", billed=LOST)] * 2, "MODEL_PROTOCOL"),
    one_job("an end that says calls, without any", [Say("It is", stop="calls", billed=LOST), _DONE], "It is 42.",
            protocols=("anthropic", "openai_chat")),
    one_job("a turn that is paused", [ask(1), Say("It is ", stop="paused"), Say("42.")], "It is 42.",
            protocols=("anthropic",)),
    one_job("a turn that is paused, with thinking", [
        Say("It is ", thinking="I look.", stop="paused"), ask(1, thinking="More."), Say("42.", thinking="So.")], "42.",
            protocols=("anthropic",)),
    _fails("a turn that is paused for ever", [Say("It is ", stop="paused")] * 3, "TURN_UNFINISHED",
           protocols=("anthropic",)),
)

_LATER_JOBS = (
    _next_job("a refusal, and the next job", Job((Round("What", (ask(1), Say(stop="refused"))),), "refused", "REFUSED")),
    _next_job("a refusal in the middle of calls, and the next job", Job((Round(
        "What", (ask(1), ask(2, text="Let me", stop="refused"))),), "refused", "REFUSED")),
    _next_job("a refusal behind thinking, and the next job", Job((Round(
        "What", (ask(1, thinking="I look."), Say("It is", thinking="Hm.", stop="refused"))),), "refused", "REFUSED")),
    _next_job("calls that were cut in the last step, and the next job", Job((Round(
        "What", (ask(1), ask(2, 3, stop="cut"))),), "step_limit", "STEP_LIMIT", {"limits": {"steps_per_round_max": 2}})),
    _next_job("thinking in the last step, and the next job", Job((Round(
        "What", (ask(1, thinking="I look."), ask(2, thinking="More."))),), "step_limit", "STEP_LIMIT",
        {"limits": {"steps_per_round_max": 2}})),
    _next_job("a model that declines, and the next job", Job((Round(
        "What", (ask(1), Say("I can't help with that.", stop="declined"))),), "refused", "REFUSED"),
              protocols=("openai_chat", "openai_responses")),
    _next_job("an answer that was cut, and the next job", Job((Round(
        "What", (ask(1), Say("It is forty", stop="cut")), "It is forty"),), "truncated", "ANSWER_TRUNCATED")),
    _next_job("cut while thinking, and the next job", Job((Round(
        "What", (ask(1, thinking="I look."), Say(thinking="Let me th", stop="cut"))),), "truncated", "ANSWER_TRUNCATED")),
    _next_job("a failure behind a tool, and the next job", Job((Round(
        "What", (ask(1, 2), Refuse(400, message="no"))),), "model_error", "MODEL_INVALID_ARGUMENT")),
    _next_job("a failure at the start, and the next job", Job((Round(
        "What", (Refuse(400, message="no"),)),), "model_error", "MODEL_INVALID_ARGUMENT")),
    _next_job("too many steps, and the next job", Job((Round("What", (ask(1), ask(2), ask(3))),), "step_limit",
                                                      "STEP_LIMIT", {"limits": {"steps_per_round_max": 3}})),
    _next_job("empty replies, and the next job", Job((Round("What", (ask(1), Say(), Say(), Say())),), "model_error",
                                                     "EMPTY_REPLY")),
)

_FULL = (("anthropic", "invalid_request_error", "prompt is too long: 9120 tokens > 8192 maximum"),
         ("openai_chat", "invalid_request_error", "This model's maximum context length is 8192 tokens. However, your "
          "messages resulted in 9120 tokens. Please reduce the length of the messages."),
         ("openai_responses", "invalid_request_error", "Your input exceeds the context window of this model. Please "
          "adjust your input and try again."))


def _long_jobs(count):
    return tuple(Job((Round(f"Part {i}", (Say(calls=(LONG,)), Say(f"Part {i} is read.")), f"Part {i} is read."),))
                 for i in range(1, count + 1))


_FULL_CONTEXTS = tuple(
    Scenario(f"a full context at {protocol}", (*_long_jobs(6), Job((Round("And now", (
        ask(1), Refuse(400, kind, words), Say("It is 42.")), "It is 42."),))), (protocol,),
             report={"compression_events": 1})
    for protocol, kind, words in _FULL)

SCENARIOS = _FULL_CONTEXTS + _BREAKS + _REFUSALS + _REPLIES + _LATER_JOBS
