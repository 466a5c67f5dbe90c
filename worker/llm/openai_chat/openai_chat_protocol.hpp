#pragma once
// SPDX-License-Identifier: Apache-2.0
// OpenAI's chat completions, as the many compatible servers speak them (llama.cpp, vLLM, Ollama).

#include "worker/llm/protocol.hpp"

namespace ba::llm {

const Protocol& openai_chat_protocol();

/// A compatible server's own way, such as vLLM's /tokenize.
const CountForm& chat_count();

}  // namespace ba::llm
