# SPDX-License-Identifier: Apache-2.0
"""Where the rules are published: references and types of the providers; where these are silent, the provider's own
refusal, quoted in a public issue."""

from .rule import Source

_GITHUB = "https://github.com/"
_ANTHROPIC_TYPES = _GITHUB + "anthropics/anthropic-sdk-typescript/blob/bfa9197f/src/resources/messages/messages.ts"
_SKILLS = _GITHUB + "anthropics/skills/blob/9d2f1ae1/skills/claude-api/shared/"
_OPENAI = _GITHUB + "openai/openai-openapi/blob/f85dbe22/openapi.yaml"
_MISTRAL = _GITHUB + "mistralai/mistral-common/blob/bc022b91/src/mistral_common/protocol/instruct/validator.py"


def _issue(title, path):
    return Source(title, _GITHUB + path)


ANTHROPIC_TYPES = Source("Anthropic's SDK, types of Messages", _ANTHROPIC_TYPES)
ANTHROPIC_ERRORS = Source("Anthropic, HTTP error codes", _SKILLS + "error-codes.md")
ANTHROPIC_TOOLS = Source("Anthropic, tool use concepts", _SKILLS + "tool-use-concepts.md")
ANTHROPIC_CACHING = Source("Anthropic, prompt caching", _SKILLS + "prompt-caching.md")
ANTHROPIC_THINKING_BUDGET = Source("Anthropic, examples", _GITHUB +
                                   "anthropics/skills/blob/9d2f1ae1/skills/claude-api/curl/examples.md")
ANTHROPIC_VERSION = Source("Anthropic, API version 2026-10-21",
                           "https://platform.claude.com/docs/en/api/migration-2026-10-21")
ANTHROPIC_BINDING = Source("Anthropic, preserved thinking",
                           "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking")
ANTHROPIC_THINKING = Source("Anthropic, extended thinking",
                            "https://platform.claude.com/docs/en/build-with-claude/extended-thinking")
ANTHROPIC_ORPHAN = _issue("Anthropic, unexpected `tool_use_id`", "anthropics/claude-code/issues/18947")
ANTHROPIC_UNANSWERED = _issue("Anthropic, `tool_use` ids without `tool_result`", "anthropics/claude-code/issues/8612")
ANTHROPIC_UNIQUE = _issue("Anthropic, `tool_use` ids must be unique", "BerriAI/litellm/issues/23510")
ANTHROPIC_BLANK = _issue("Anthropic, text must be non-whitespace", "anthropics/claude-code/issues/23369")
ANTHROPIC_TRAILING = _issue("Anthropic, trailing whitespace", "tailcallhq/forgecode/issues/1872")
ANTHROPIC_ENDS_THINKING = _issue("Anthropic, final block is thinking", "tailcallhq/forgecode/issues/2107")
ANTHROPIC_BEGINS_THINKING = _issue("Anthropic, final turn begins with thinking", "zed-industries/zed/pull/33317")
ANTHROPIC_FIRST_THINKING = _issue("Anthropic, thinking is the first block", "anthropics/claude-code/issues/20705")
ANTHROPIC_CHANGED = _issue("Anthropic, thinking cannot be modified", "anthropics/claude-code/issues/63314")
ANTHROPIC_SCHEMA = _issue("Anthropic, no oneOf at the top level", "anthropics/claude-code/issues/5878")
ANTHROPIC_KEYS = _issue("Anthropic, names of properties", "anthropics/claude-code/issues/79418")

OPENAI_CHAT = Source("OpenAI's specification, CreateChatCompletionRequest", _OPENAI)
OPENAI_RESPONSES = Source("OpenAI's specification, CreateResponse", _OPENAI)
OPENAI_ANSWERED = _issue("OpenAI, tool_calls must be followed by tool messages", "agno-agi/agno/issues/3105")
OPENAI_ORPHAN = _issue("OpenAI, role 'tool' must follow 'tool_calls'", "FoundationAgents/OpenManus/issues/744")
OPENAI_ID_LENGTH = _issue("OpenAI, tool_calls[].id string too long", "vercel/ai/issues/5171")
OPENAI_TOOLS_MAX = _issue("OpenAI, at most 128 tools", "vishalmysore/Tools4AI/issues/16")
OPENAI_SCHEMA = _issue("OpenAI, invalid schema for function", "langchain-ai/langchainjs/issues/9804")
OPENAI_ITEMS = _issue("OpenAI, array schema missing items", "streamnative/streamnative-mcp-server/issues/26")
OPENAI_FOLLOWING = _issue("OpenAI, reasoning without its following item", "vercel/ai/issues/7099")
OPENAI_NEEDS_REASONING = _issue("OpenAI, call without its reasoning item", "0xPlaygrounds/rig/issues/751")
OPENAI_NOT_STORED = _issue("OpenAI, items are not persisted", "openai/openai-agents-python/issues/919")
OPENAI_PREFIX = _issue("OpenAI, ids begin with their kind", "Wei-Shaw/sub2api/issues/3981")

LLAMA_ARGUMENTS = _issue("llama.cpp, arguments must be JSON", "ggml-org/llama.cpp/issues/25510")
LLAMA_THINKING = _issue("llama.cpp, content and thinking beside calls", "ggml-org/llama.cpp/issues/19701")
OLLAMA_FIELDS = Source("Ollama, OpenAI compatibility", "https://docs.ollama.com/api/openai-compatibility")
MISTRAL_VALIDATOR = Source("Mistral, request validator", _MISTRAL)
MISTRAL_ORDER = _issue("Mistral, unexpected role 'user' after role 'tool'", "avante-corp/avante.nvim/pull/2695")
MISTRAL_EXTRA = _issue("Mistral, extra inputs are not permitted", "charmbracelet/crush/issues/1590")
MISTRAL_TOKENS = _issue("Mistral, no max_completion_tokens", "editor-code-assistant/eca/issues/231")
DEEPSEEK_THINKING = Source("DeepSeek, thinking mode", "https://api-docs.deepseek.com/guides/thinking_mode")
KIMI_IDS = Source("Kimi K2, tool call guidance",
                  _GITHUB + "MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md")
OPENROUTER_REASONING = Source("OpenRouter, preserving reasoning",
                              "https://openrouter.ai/docs/use-cases/reasoning-tokens")
GEMINI_SIGNATURES = Source("Gemini, thought signatures", "https://ai.google.dev/gemini-api/docs/thought-signatures")
GEMINI_SCHEMA = Source("Gemini, function calling",
                       "https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling")
KIMI_SCHEMA = _issue("Kimi, its form of JSON schema", "vercel/ai/pull/18921")
