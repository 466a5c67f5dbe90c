# SPDX-License-Identifier: Apache-2.0
"""The servers between which generated histories move: each protocol and each known way of speaking it, with the rules that
it holds requests to and with what its replies have that others' have not."""

import dataclasses
import json

from . import (anthropic_rules, anthropic_thinking_rules, anthropic_wire, chat_rules, chat_wire, dialect_rules,
               responses_rules, responses_wire)

WIRES = {"anthropic": anthropic_wire, "openai_chat": chat_wire, "openai_responses": responses_wire}
WIDE, SMALL = 200_000, 4_500
_ANTHROPIC = tuple(anthropic_rules.RULES + anthropic_thinking_rules.RULES)
_CHAT = tuple(chat_rules.RULES)
_RESPONSES = tuple(responses_rules.RULES)
_THINKS = {"thinking": {"mode": "enabled", "budget_tokens": 1024}}
_REASONING = {"resend_reasoning": True}


@dataclasses.dataclass(frozen=True)
class Server:
    """`models`: what the configuration says of each, by the end of its name. `own`: rules about what the server itself
    has written; they hold as long as nobody else has. `ids`: how it names calls (see history_replies). `member`: what its
    replies have beside the protocol's own, `call_member` the same of calls."""

    name: str
    protocol: str
    rules: tuple
    own: tuple = ()
    provider: dict = dataclasses.field(default_factory=dict)
    models: dict = dataclasses.field(default_factory=lambda: {"": {}})
    ids: str = "odd"
    member: str = ""
    call_member: str = ""
    in_text: bool = False  # calls stand in the text


SERVERS = (
    Server("anthropic", "anthropic", _ANTHROPIC, ids="words",
           models={".adaptive": {"thinking": {"mode": "adaptive"}}, ".enabled": _THINKS, ".plain": {}}),
    Server("older", "anthropic", _ANTHROPIC, ids="words", models={".enabled": _THINKS, ".plain": {}},
           provider={"api_version": "2023-06-01", "streaming": False, "prompt_cache": False}),
    Server("openai", "openai_chat", _CHAT + tuple(chat_rules.OWN_RULES), ids="short"),
    Server("openrouter", "openai_chat", _CHAT, tuple(dialect_rules.OPENROUTER), ids="words", member="reasoning_details"),
    Server("gemini", "openai_chat", _CHAT, tuple(dialect_rules.GEMINI), ids="words", call_member="extra_content"),
    Server("deepseek", "openai_chat", _CHAT, tuple(dialect_rules.DEEPSEEK), _REASONING, ids="words",
           member="reasoning_content"),
    Server("kimi", "openai_chat", _CHAT, tuple(dialect_rules.KIMI), {"streaming": False}, ids="numbers"),
    Server("mistral", "openai_chat", _CHAT + tuple(dialect_rules.MISTRAL), provider={"quirks": "mistral"}, ids="nine",
           member="reasoning_content"),
    Server("llama", "openai_chat", _CHAT + tuple(dialect_rules.LLAMA_CPP), provider=_REASONING | {"quirks": "llama_cpp"},
           member="reasoning_content"),
    Server("vllm", "openai_chat", _CHAT, provider=_REASONING | {"quirks": "vllm", "streaming": False},
           member="reasoning_content"),
    Server("ollama", "openai_chat", _CHAT + tuple(dialect_rules.OLLAMA), provider={"quirks": "ollama"}, member="reasoning"),
    Server("intext", "openai_chat", _CHAT, models={"": {"tool_calling": "text"}}, in_text=True),
    Server("responses", "openai_responses", _RESPONSES, ids="words"),
    Server("unstreamed", "openai_responses", _RESPONSES, provider={"streaming": False}, ids="words"),
)
BY_NAME = {server.name: server for server in SERVERS}
MODELS = {f"{server.name}{end}{size}": server for server in SERVERS for end in server.models for size in ("", ".small")}


def configuration(url="http://strict"):
    """Of all of them, as the text of a configuration file."""
    providers = {server.name: {"protocol": server.protocol, "base_url": f"{url}/{server.name}/v1", "api_key": "key-of-a-test",
                               "structured_output": "native"} | server.provider for server in SERVERS}
    models = {f"{server.name}{end}{size}": {
        "provider": server.name, "model_id": f"{server.name}{end}{size}", "context_window": window,
        "max_output_tokens": 1_500} | more
              for server in SERVERS for end, more in server.models.items() for size, window in (("", WIDE), (".small", SMALL))}
    return json.dumps({"llm": {"providers": providers, "models": models, "default_model": "openai"}})
