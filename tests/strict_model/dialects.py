# SPDX-License-Identifier: Apache-2.0
"""Scenarios of servers that speak a protocol in their own way: what they say must be understood, and what goes back must
be what they take."""

from . import dialect_replies as replies
from . import dialect_rules as rules
from .reply import LONG, Call, Refuse, Say, Usage, ask
from .scenario import STREAMED, WHOLE, Job, Round, Scenario, one_job

_CHAT = ("openai_chat",)
_DONE = Say("It is 42.")
_STRIP = {"strip_think": True}
_REASONING = {"resend_reasoning": True}


def _chat(name, given, answer="It is 42.", **more):
    return one_job(name, given, answer, protocols=_CHAT, lenient=True, **more)



_ENDS = (
    *(_chat(f"an answer that ends with the word {word}", [ask(1, stop=calls), Say("It is 42.", stop=word)])
      for word, calls in (("eos", "tool_call"), ("STOP", "TOOL_CALLS"), ("end_turn", "tool_use"),
                          ("COMPLETE", "function_call"), ("stop_sequence", "stop"))),
    one_job("calls under the word for an answer", [ask(1, 2, stop="end"), _DONE], "It is 42.",
            protocols=("anthropic", "openai_chat")),
    one_job("calls under an unknown word", [ask(1, stop="because"), _DONE], "It is 42.",
            protocols=("anthropic", "openai_chat")),
    _chat("an end without a word", [replies.end_in_silence()], ways=(STREAMED,)),
    _chat("an end with an empty word behind it", [replies.empty_end()]),
    _chat("a stream without its last line", [replies.without_done()], ways=(STREAMED,)),
)

_USAGE = (
    _chat("usage of DeepSeek", [replies.with_usage(
        {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100, "prompt_cache_hit_tokens": 900,
         "prompt_cache_miss_tokens": 100}, Usage(100, 100, cached=900))]),
    _chat("usage of Kimi", [replies.with_usage(
        {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100, "cached_tokens": 900},
        Usage(100, 100, cached=900))]),
    _chat("usage with thinking apart", [replies.with_usage(
        {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1150,
         "completion_tokens_details": {"reasoning_tokens": 50}}, Usage(1000, 150, thinking=50))]),
    _chat("usage with nulls", [replies.with_usage(
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "prompt_tokens_details": None,
         "completion_tokens_details": None}, Usage(10, 5))]),
    _chat("no usage", [replies.with_usage(None, Usage())]),
    one_job("a later zero in the usage", [replies.anthropic_later_zero()], "It is 42.", protocols=("anthropic",),
            ways=(STREAMED,)),
)

_THINKING = (
    _chat("thinking in the text", [Say("<think>\nForty and two.\n</think>\n\nIt is 42.")], model=_STRIP),
    _chat("thinking in the text, with an end only", [Say("Forty and two.\n</think>\n\nIt is 42.")], model=_STRIP),
    _chat("thinking in the text before calls", [ask(1, text="<think>I look.</think>"), Say(
        "<think>So.</think>It is 42.")], model=_STRIP),
    _chat("thinking as a part of the content", [replies.content_in_parts()]),
    Scenario("reasoning_content that must go back", (Job((
        Round("First", (ask(1, 2, thinking="I look."), ask(3, thinking="Once more."), Say("Three.", thinking="So.")),
              "Three."), Round("Second", (ask(4, thinking="And now."), Say("Four.")), "Four."))),), _CHAT,
             provider=_REASONING, rules=rules.DEEPSEEK, lenient=True),
    Scenario("reasoning_details that must go back", (Job((
        Round("First", (replies.openrouter_call(), _DONE), "It is 42."), Round("Second", (Say("Still."),), "Still."))),),
             _CHAT, rules=rules.OPENROUTER, lenient=True),
    Scenario("signatures beside calls that must go back", (Job((
        Round("First", (replies.gemini_calls(), _DONE), "It is 42."), Round("Second", (Say("Still."),), "Still."))),),
             _CHAT, rules=rules.GEMINI, lenient=True),
)

_CALLS = (
    Scenario("ids as Kimi gives them", (Job((
        Round("First", (replies.kimi_call(0), replies.kimi_call(1), _DONE), "It is 42."),
        Round("Second", (replies.kimi_call(2), _DONE), "It is 42."))),), _CHAT, rules=rules.KIMI, lenient=True),
    *(Scenario(f"ids {what}, then elsewhere", (
        Job((Round("First", (*(replies.call_with_id(one) for one in given), _DONE), "It is 42."),)),
        *(Job((Round(question, (ask(1), _DONE), "It is 42."),)) for question in ("Second", "Third", "Fourth"))),
               _CHAT, lenient=True, moves=True)
      for what, given in (("that come again and again", ("call_0", "call_0", "call_0")),
                          ("with other letters", ("functions.query_database:0", "functions.query_database:1", "a b/ü")),
                          ("that are very long", ("x" * 41, "x" * 65, "x" * 200)))),
    _chat("arguments behind an empty object", [replies.arguments_after_empty(), _DONE]),
    _chat("arguments as an object", [replies.arguments_as_object(), _DONE]),
    _chat("calls that all have the number 0", [replies.one_number(), _DONE], ways=(STREAMED,)),
    _chat("a call in the text", [Say(
        '<tool_call>\n{"name": "query_database", "arguments": {"sql": "SELECT 42"}}\n</tool_call>', billed="lost"), _DONE]),
    one_job("a call in the events only", [replies.responses_without_output(), _DONE], "It is 42.",
            protocols=("openai_responses",), ways=(STREAMED,)),
)

_FORMS = (
    _chat("a stream that is called JSON", [replies.labelled("application/json")], ways=(STREAMED,)),
    _chat("a whole reply where a stream was asked for", [replies.whole_as_stream()], ways=(STREAMED,)),
    _chat("events without data", [replies.empty_data()], ways=(STREAMED,)),
    _chat("an empty error beside a reply", [replies.empty_error({})], ways=(WHOLE,)),
    _chat("an empty text as error beside a reply", [replies.empty_error("")], ways=(WHOLE,)),
)


def _of_server(quirks, own_rules=(), provider=None):
    """What any server must get along with, by the form that its name asks for."""
    more = {"protocols": _CHAT, "provider": {"quirks": quirks} | (provider or {}), "rules": tuple(own_rules),
            "lenient": True}
    first = Round("First", (ask(1, 2, text="Let me look.", thinking="Hm."), ask(3, thinking="Hm."), Say("Three.")), "Three.")
    second = Round("Second", (ask(4, thinking="Hm."), Say("Four.", thinking="So.")), "Four.")
    return (
        Scenario(f"two rounds and two jobs at {quirks}", (
            Job((first, second)), Job((Round("Third", (Say("Five."),), "Five."),))), **more),
        one_job(f"twelve steps at {quirks}", [*(ask(i) for i in range(11)), Say("It took long.")], "It took long.",
                **more),
        one_job(f"an empty reply behind a tool at {quirks}", [ask(1), Say(), _DONE], "It is 42.", **more),
        one_job(f"broken arguments at {quirks}", [Say(calls=(Call("query_database", '{"sql": '),)), _DONE], "It is 42.",
                **more),
        Scenario(f"a failure behind a tool at {quirks}, and the next job", (
            Job((Round("What", (ask(1, 2), Refuse(400, message="no"))),), "model_error", "MODEL_INVALID_ARGUMENT"),
            Job((Round("And now", (ask(7), Say("Seven.")), "Seven."),))), **more),
        Scenario(f"compression at {quirks}", tuple(
            Job((Round(f"Part {i}", (Say(calls=(LONG,)), Say(f"Part {i} is read.")), f"Part {i} is read."),))
            for i in range(1, 13)), model={"context_window": 8000, "max_output_tokens": 500},
                 report={"compression_events": 1}, **more),
    )


_SERVERS = (*_of_server("mistral", rules.MISTRAL), *_of_server("llama_cpp", rules.LLAMA_CPP, _REASONING),
            *_of_server("vllm"), *_of_server("ollama", rules.OLLAMA))

SCENARIOS = _ENDS + _USAGE + _THINKING + _CALLS + _FORMS + _SERVERS
