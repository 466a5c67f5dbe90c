#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a reply cost in tokens, as the servers of OpenAI's two protocols report it: each has names
// of its own for what was cached and what was thought. Pure function.

#include "pipeline/text/message/json_view.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

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

}  // namespace ba
