#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every reply must satisfy, whatever its protocol. Pure functions.

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "pipeline/text/message/message.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba::llm {

/// Takes the text a model sent as arguments: a JSON object is kept byte for byte, nothing at all
/// (which servers send for tools without parameters) is `{}`, anything else is kept as
/// invalid_args with the reason, for the model to read.
void set_arguments(ToolCall& call, std::string text);

/// A call whose arguments are longer than allowed becomes an invalid one, for the model to read
/// why: it was paid for, and asked again the model would write as much. The beginning is kept.
void bound_arguments(ToolCall& call, const LlmLimits& limits);

/// Fails with Protocol on a call without id or name, a repeated id, more calls than allowed, and on
/// a NUL character, which nothing behind this can store.
Result<void> check_reply(const AiMessage& message, const LlmLimits& limits);

/// A token count of a usage report; absent, negative or absurd numbers count as not told.
std::optional<std::int64_t> token_count(JsonView number);

/// Micro-dollars, rounded to the nearest.
std::int64_t cost_of(const Usage& usage, const ModelPrices& prices);

// What a reply cost in tokens, as the servers of OpenAI's two protocols report it: each has names
// of its own for what was cached and what was thought. Pure function.

/// Reads a `usage` object; false: it has no counts. A later report wins, but not by a zero: some
/// servers repeat the report at the end of a stream with nothing in it.
///
/// | count | where |
/// | --- | --- |
/// | input | `prompt_tokens` (chat), `input_tokens` (Responses); cached ones are part of it |
/// | of it cached | `*_tokens_details.cached_tokens` (OpenAI), `prompt_cache_hit_tokens`
/// (DeepSeek), `cached_tokens` (Moonshot), `cache_read_input_tokens` (LiteLLM) |
/// | of it written | `*_tokens_details.cache_write_tokens`, `cache_creation_input_tokens` |
/// | output | `completion_tokens`, `output_tokens`; where `total_tokens` is more than both (Gemini,
/// xAI), the rest is thinking that was paid like output |
/// | of it thinking | `*_tokens_details.reasoning_tokens`, `reasoning_tokens` |
bool read_openai_usage(JsonView report, Usage& usage);

}  // namespace ba::llm
