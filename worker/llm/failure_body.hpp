#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads the body of a failure. Servers answer in each other's shapes (llama.cpp sends OpenAI errors
// under Anthropic's path, proxies send HTML), so one reader takes them all. Pure functions.

#include <string_view>

#include "pipeline/message/json_view.hpp"
#include "worker/llm/failure_table.hpp"

namespace ba {

ProviderFailure read_failure_body(int status, std::string_view body);

/// The value of an "error" member: an object with type, code and message, or a text.
ProviderFailure read_error_value(int status, JsonView error);

/// What the value of an "error" member means in a body of status 200 or inside a stream: the
/// request had been accepted, and the model may have begun to answer. The status is the error's
/// code where that is one (llama.cpp, vLLM), else what its type stands for.
Error reported_error(JsonView error);

/// Whether the provider says that the conversation is too long for the model.
bool says_context_exceeded(const ProviderFailure& failure);

/// "an HTML page" or "not JSON", for a body that should have been JSON.
std::string_view what_it_is_instead(std::string_view body);

}  // namespace ba
