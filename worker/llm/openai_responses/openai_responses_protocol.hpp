#pragma once
// SPDX-License-Identifier: Apache-2.0
// OpenAI's Responses API without state at the provider: the way to OpenAI's own reasoning models.

#include "worker/llm/protocol.hpp"

namespace ba::llm {

const Protocol& openai_responses_protocol();

/// Counts for OpenAI's models, whichever way they are asked.
/// https://platform.openai.com/docs/api-reference/responses/input-tokens
const CountForm& openai_count();

}  // namespace ba::llm
